package io.urma4j;

/** Messages as simple blocking calls. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable"})
public final class MessageChannel implements AutoCloseable {
    /** How the channel is to be like. */
    public record Options(int maxMessageBytes, int receiveBuffers) {
        public static final Options DEFAULT = new Options(8192, 64);
    }

    private MessageChannel() {}

    static MessageChannel open(UrmaContext context, Options options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
