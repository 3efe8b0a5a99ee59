package io.urma4j.udma.ring;

import io.urma4j.libc.NativeMemory;

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

    public static void put(NativeMemory ring, long list, int index, int key, int lengthBytes, long offset) {
        long at = at(list, index);
        ring.setLong(at, Integer.toUnsignedLong(key) | (long) lengthBytes << Integer.SIZE);
        ring.setLong(at + OFFSET, offset);
    }

    /** Copies a range to the same place in another list. */
    public static void copy(NativeMemory from, long fromList, NativeMemory to, long toList, int index) {
        long at = at(fromList, index);
        long toAt = at(toList, index);
        to.setLong(toAt, from.getLong(at));
        to.setLong(toAt + OFFSET, from.getLong(at + OFFSET));
    }

    public static int key(NativeMemory ring, long list, int index) {
        return ring.getInt(at(list, index));
    }

    public static int lengthBytes(NativeMemory ring, long list, int index) {
        return ring.getInt(at(list, index) + LENGTH);
    }

    public static long offset(NativeMemory ring, long list, int index) {
        return ring.getLong(at(list, index) + OFFSET);
    }
}
