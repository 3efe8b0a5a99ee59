package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The copy engine of a device. Safe for any thread. */
public interface DmaEngine {
    /** Opens a stream, whose copies end in the order of their start. Copies of two streams have no order. */
    CopyStream openStream();

    /**
     * Makes what copies and peers wrote before visible to kernels that start after the return. Copies that are not done are
     * not waited for.
     */
    void flush(DeviceRange range);

    /** Copies of all streams that the engine holds at once; one more waits in {@link CopyStream}. */
    int maxInFlight();

    /** Ranges of one {@link CopyList}; 1 if its streams take no lists. */
    default int maxRanges() {
        return 1;
    }

    /** Length of a copy from which on a longer one is no faster per byte. */
    long fragmentBytes();

    /** Device addresses and lengths must be multiples of this, a power of two. */
    long alignmentBytes();

    /** A mapping of the range that the host may load from and store to; empty if the device has none. */
    default Optional<MemorySegment> window(DeviceRange range) {
        return Optional.empty();
    }

    /**
     * Host memory that streams will copy from and to often: a driver can pin it once. The result ends that; close it after
     * the last copy.
     */
    default Pinning pinHost(MemorySegment memory) {
        return () -> {};
    }

    /**
     * Calls the listener once, as soon as the work is finished that an event of the device's library has recorded so far, or will
     * never be: within this call, or on a thread of the client.
     *
     * @param event as the library names it, such as a {@code CUevent}
     * @throws UrmaException EINVAL if it is no event of this device, or the client knows no events
     */
    default void whenDone(long event, EventListener listener) {
        throw new UrmaException(UrmaStatus.EINVAL, this, "the client of this device knows no events");
    }

    /** Learns of the end of a device's work. */
    @FunctionalInterface
    interface EventListener {
        /** The work is finished; or it has failed for that reason, or its device was lost or closed. Must not block. */
        void ended(@Nullable RuntimeException failure);
    }

    /** Host memory that the device's driver has pinned. */
    @FunctionalInterface
    interface Pinning extends AutoCloseable {
        /** Whether copies reach the memory without a detour; if not, a pinned fragment is faster. */
        default boolean isDirect() {
            return true;
        }

        @Override
        void close();
    }
}
