package io.urma4j.udma.ring;

import io.urma4j.libc.NativeMemory;

/**
 * Layout of a receive work queue element: local ranges and nothing else. All elements of a ring have the same number of
 * basic blocks.
 *
 * <pre>
 *   0  ranges   u32  how many
 *   8  cookie   u64  what its record carries in the place of a position
 *  16  ranges        each a {@link WqeRange}
 * </pre>
 */
public final class ReceiveWqe {
    private static final int COOKIE = 8;
    private static final int FIRST_RANGE = 16;

    private ReceiveWqe() {}

    /** Bytes from one element to the next in a ring whose elements have this many ranges. */
    public static int strideBytes(int maxRanges) {
        int bytes = FIRST_RANGE + maxRanges * WqeRange.BYTES;
        return (bytes + SendWqe.BLOCK_BYTES - 1) / SendWqe.BLOCK_BYTES * SendWqe.BLOCK_BYTES;
    }

    public static void put(NativeMemory ring, long at, int ranges, long cookie) {
        ring.setInt(at, ranges);
        ring.setLong(at + COOKIE, cookie);
    }

    public static void range(NativeMemory ring, long at, int index, int key, int lengthBytes, long offset) {
        WqeRange.put(ring, rangesAt(at), index, key, lengthBytes, offset);
    }

    public static int ranges(NativeMemory ring, long at) {
        return ring.getInt(at);
    }

    public static long cookie(NativeMemory ring, long at) {
        return ring.getLong(at + COOKIE);
    }

    /** Where the ranges begin, in the ring. */
    public static long rangesAt(long at) {
        return at + FIRST_RANGE;
    }
}
