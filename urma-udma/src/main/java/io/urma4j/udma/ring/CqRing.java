package io.urma4j.udma.ring;

import io.urma4j.libc.NativeMemory;

/**
 * Layout of a completion queue: a header, then as many elements as its depth, which is a power of two.
 *
 * <pre>
 *    0  consumed  u64  elements taken so far; only the driver writes it
 *  128  elements       of {@link Cqe#BYTES} each
 * </pre>
 *
 * <p>The card, which reads {@code consumed} with acquire, may overwrite the elements before it. New elements are distinguished from old
 * ones by their owner bit, which is 1 in the first round of the ring: a ring of zeros is empty.
 */
public final class CqRing {
    private static final long CONSUMED = 0;
    private static final long ELEMENTS = 128; // two lines on: CPUs prefetch lines in pairs

    private CqRing() {}

    public static long bytes(int depth) {
        return ELEMENTS + (long) depth * Cqe.BYTES;
    }

    /** Where the element of a position lies. */
    public static long at(long position, int depth) {
        return ELEMENTS + (position & (depth - 1)) * Cqe.BYTES;
    }

    /** The owner bit of a position's element. Without a branch: the first wrap-around would discard the code of the poll. */
    public static int owner(long position, int depth) {
        return Long.bitCount(~position & depth); // a depth has one bit
    }

    /** The driver has taken every element before {@code position}. */
    public static void consumed(NativeMemory ring, long position) {
        assert position >= consumed(ring);
        ring.setLongRelease(CONSUMED, position);
    }

    public static long consumed(NativeMemory ring) {
        return ring.getLongAcquire(CONSUMED);
    }
}
