package io.urma4j.udma.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Layout of a receive work queue element: local ranges and nothing else. All elements of a ring have the same number of
 * basic blocks.
 *
 * <pre>
 *   0  ranges   u32  how many
 *   8  cookie   u64  what its record carries in the place of a position
 *  16  ranges        of 16 bytes: key u32, length u32, offset u64
 * </pre>
 */
public final class ReceiveWqe {
    private static final int COOKIE = 8;
    private static final int FIRST_RANGE = 16;
    private static final int RANGE_LENGTH = 4;
    private static final int RANGE_OFFSET = 8;

    private ReceiveWqe() {}

    /** Bytes from one element to the next in a ring whose elements have this many ranges. */
    public static int strideBytes(int maxRanges) {
        int bytes = FIRST_RANGE + maxRanges * SendWqe.RANGE_BYTES;
        return (bytes + SendWqe.BLOCK_BYTES - 1) / SendWqe.BLOCK_BYTES * SendWqe.BLOCK_BYTES;
    }

    public static void put(MemorySegment ring, long at, int ranges, long cookie) {
        ring.set(JAVA_INT, at, ranges);
        ring.set(JAVA_LONG, at + COOKIE, cookie);
    }

    public static void range(MemorySegment ring, long at, int index, int key, int lengthBytes, long offset) {
        long range = at + FIRST_RANGE + (long) index * SendWqe.RANGE_BYTES;
        ring.set(JAVA_INT, range, key);
        ring.set(JAVA_INT, range + RANGE_LENGTH, lengthBytes);
        ring.set(JAVA_LONG, range + RANGE_OFFSET, offset);
    }

    public static int ranges(MemorySegment ring, long at) {
        return ring.get(JAVA_INT, at);
    }

    public static long cookie(MemorySegment ring, long at) {
        return ring.get(JAVA_LONG, at + COOKIE);
    }

    public static int rangeKey(MemorySegment ring, long at, int index) {
        return ring.get(JAVA_INT, at + FIRST_RANGE + (long) index * SendWqe.RANGE_BYTES);
    }

    public static int rangeLengthBytes(MemorySegment ring, long at, int index) {
        return ring.get(JAVA_INT, at + FIRST_RANGE + (long) index * SendWqe.RANGE_BYTES + RANGE_LENGTH);
    }

    public static long rangeOffset(MemorySegment ring, long at, int index) {
        return ring.get(JAVA_LONG, at + FIRST_RANGE + (long) index * SendWqe.RANGE_BYTES + RANGE_OFFSET);
    }
}
