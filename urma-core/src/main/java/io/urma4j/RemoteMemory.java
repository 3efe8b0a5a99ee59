package io.urma4j;

/** Remote memory as simple blocking and asynchronous calls. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable"})
public final class RemoteMemory implements AutoCloseable {
    private RemoteMemory() {}

    static RemoteMemory open(UrmaContext context, String lineOrName) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
