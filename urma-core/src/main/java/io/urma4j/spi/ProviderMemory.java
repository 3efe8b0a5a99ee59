package io.urma4j.spi;

import io.urma4j.AllocReport;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of a provider that can be registered and shared. {@link #close} frees it, once. */
public interface ProviderMemory extends AutoCloseable {
    /** The bytes; invalid after {@link #close}. */
    MemorySegment segment();

    /**
     * The same bytes in another scope: accesses by this segment are refused once the arena is closed, which frees nothing.
     *
     * @throws UrmaException EINVAL if the provider cannot do that
     */
    default MemorySegment segment(Arena arena) {
        throw new UrmaException(UrmaStatus.EINVAL, this, "its bytes cannot be bound to another arena");
    }

    /** The request, its result, and the reasons of fallbacks. */
    AllocReport report();

    @Override
    void close();
}
