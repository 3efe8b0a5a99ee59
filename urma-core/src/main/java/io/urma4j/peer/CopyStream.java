package io.urma4j.peer;

import java.lang.foreign.MemorySegment;

/**
 * A queue of copies of one device, which end in the order of their start. Each method returns at once; the {@link Copy} reports
 * the end, and may be started again then. Starting is for one thread at a time.
 *
 * <p>A provider moves bytes of a registration by {@link PeerRegion}, which refuses a copy once the registration is revoked;
 * these methods do not.
 */
public interface CopyStream extends AutoCloseable {
    /** From the host to the device. {@code source} must not change until the copy is done. */
    void copyIn(long address, MemorySegment source, Copy copy);

    /** From the device to the host. */
    void copyOut(long address, MemorySegment target, Copy copy);

    /** Within the device, or to one that it reaches; the ranges do not overlap. */
    void copyWithin(long from, long to, long lengthBytes, Copy copy);

    /**
     * Like {@link #copyIn(long, MemorySegment, Copy)} for several ranges, whose sources are offsets in {@code source}. Only for
     * streams of an engine that takes lists ({@link DmaEngine#maxRanges}), as the next two.
     */
    default void copyIn(CopyList ranges, MemorySegment source, Copy copy) {
        throw new UnsupportedOperationException(this + " takes no lists");
    }

    /** Several ranges from the device to the host; their targets are offsets in {@code target}. */
    default void copyOut(CopyList ranges, MemorySegment target, Copy copy) {
        throw new UnsupportedOperationException(this + " takes no lists");
    }

    /** Several ranges within the device, or to one that it reaches. */
    default void copyWithin(CopyList ranges, Copy copy) {
        throw new UnsupportedOperationException(this + " takes no lists");
    }

    /** Fills a range of the device with a byte. */
    void fill(long address, long lengthBytes, byte value, Copy copy);

    /**
     * Ends a copy as soon as the device can: it fails, or succeeds after all. No byte moves once {@link Copy#isDone}. Any
     * thread may call this; it does nothing for a copy that is done.
     */
    void abort(Copy copy);

    /** Waits for the copies in progress, and releases the queue. Idempotent. */
    @Override
    void close();
}
