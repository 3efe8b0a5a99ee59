package io.urma4j.peer;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

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

    /** Host memory that the device's driver has pinned. */
    @FunctionalInterface
    interface Pinning extends AutoCloseable {
        @Override
        void close();
    }
}
