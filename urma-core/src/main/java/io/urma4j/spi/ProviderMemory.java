package io.urma4j.spi;

import io.urma4j.AllocReport;
import java.lang.foreign.MemorySegment;

/** Memory of a provider that can be registered and shared. Freed by {@link #close}, once. */
public interface ProviderMemory extends AutoCloseable {
    /** The bytes; dead after {@link #close}. */
    MemorySegment segment();

    /** What was asked for, what was given, and why. */
    AllocReport report();

    @Override
    void close();
}
