package io.urma4j.shm.memory;

import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.libc.Fd;
import io.urma4j.spi.ProviderMemory;
import java.lang.foreign.MemorySegment;

/** Memory in a sealed memfd. */
@SuppressWarnings("DoNotCallSuggester")
public final class ShmMemory implements ProviderMemory {
    private ShmMemory() {}

    public static ShmMemory allocate(long lengthBytes, AllocOptions options, String label) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemorySegment segment() {
        throw new UnsupportedOperationException();
    }

    public Fd fd() {
        throw new UnsupportedOperationException();
    }

    @Override
    public AllocReport report() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
