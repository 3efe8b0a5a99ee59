package io.urma4j.spi;

import io.urma4j.AllocReport;
import java.lang.foreign.MemorySegment;

/** Memory of a provider that can be registered and shared. {@link #close} frees it, once. */
public interface ProviderMemory extends AutoCloseable {
    /** The bytes; invalid after {@link #close}. */
    MemorySegment segment();

    /** The request, its result, and the reasons of fallbacks. */
    AllocReport report();

    @Override
    void close();
}
