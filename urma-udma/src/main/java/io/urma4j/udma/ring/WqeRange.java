package io.urma4j.udma.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Layout of a local range in a list of them, as {@link SendWqe} and {@link ReceiveWqe} have one. A range names a region by its key
 * and counts from the region's start: no address of this process is in a ring.
 *
 * <pre>
 *   0  key     u32
 *   4  length  u32
 *   8  offset  u64
 * </pre>
 */
public final class WqeRange {
    public static final int BYTES = 16;

    private static final int LENGTH = 4;
    private static final int OFFSET = 8;

    private WqeRange() {}

    /** Where a range begins, in a list that begins at {@code list}. */
    private static long at(long list, int index) {
        return list + (long) index * BYTES;
    }

    public static void put(MemorySegment ring, long list, int index, int key, int lengthBytes, long offset) {
        long at = at(list, index);
        ring.set(JAVA_INT, at, key);
        ring.set(JAVA_INT, at + LENGTH, lengthBytes);
        ring.set(JAVA_LONG, at + OFFSET, offset);
    }

    public static int key(MemorySegment ring, long list, int index) {
        return ring.get(JAVA_INT, at(list, index));
    }

    public static int lengthBytes(MemorySegment ring, long list, int index) {
        return ring.get(JAVA_INT, at(list, index) + LENGTH);
    }

    public static long offset(MemorySegment ring, long list, int index) {
        return ring.get(JAVA_LONG, at(list, index) + OFFSET);
    }
}
