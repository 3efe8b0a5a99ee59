package io.urma4j.udma.device;

import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A receive work request whose message is arriving: a copy of its element, whose slot is free at once. The object is
 * reused; each use has a generation, which identifies handles of an earlier use.
 */
final class ReceiveInProgress {
    final int index;
    int generation;
    int ranges;
    long cookie;
    long capacityBytes;

    /** The receiver of the message; null if not in use, or released. */
    @Nullable
    Receiver receiver;

    /** The next released or free one. */
    @Nullable
    ReceiveInProgress next;

    private int[] keys = new int[1];
    private int[] lengths = new int[1];
    private long[] offsets = new long[1];

    ReceiveInProgress(int index) {
        this.index = index;
    }

    long handle() {
        return (long) generation << Integer.SIZE | index;
    }

    void fill(MemorySegment ring, long at) {
        ranges = ReceiveWqe.ranges(ring, at);
        cookie = ReceiveWqe.cookie(ring, at);
        if (keys.length < ranges) {
            keys = new int[ranges];
            lengths = new int[ranges];
            offsets = new long[ranges];
        }
        capacityBytes = 0;
        for (int i = 0; i < ranges; i++) {
            keys[i] = ReceiveWqe.rangeKey(ring, at, i);
            lengths[i] = ReceiveWqe.rangeLengthBytes(ring, at, i);
            offsets[i] = ReceiveWqe.rangeOffset(ring, at, i);
            capacityBytes += Integer.toUnsignedLong(lengths[i]);
        }
    }

    /** Copies bytes of a message to its byte {@code position}; false if the memory is closed. */
    boolean scatter(KeyTable memory, long position, MemorySegment from, long fromOffset, int lengthBytes) {
        long skip = position;
        int done = 0;
        for (int i = 0; i < ranges && done < lengthBytes; i++) {
            long room = Integer.toUnsignedLong(lengths[i]) - skip;
            if (room <= 0) {
                skip = -room;
                continue;
            }
            int step = (int) Math.min(room, lengthBytes - done);
            if (!LocalRange.store(memory, keys[i], offsets[i] + skip, from, fromOffset + done, step)) {
                return false;
            }
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }

    /**
     * Begins to copy bytes of a message to its byte {@code position}, of which some belong on a device.
     *
     * @return the number of the copy; {@link Memory#REFUSED} if memory is gone; {@link Memory#BUSY} if nothing was begun
     */
    long copy(
            KeyTable memory,
            CopyPort copies,
            long position,
            MemorySegment from,
            long fromOffset,
            int lengthBytes,
            CopyWaiter waiter) {
        long skip = position;
        long copy = Memory.AT_ONCE;
        int done = 0;
        for (int i = 0; i < ranges && done < lengthBytes; i++) {
            long room = Integer.toUnsignedLong(lengths[i]) - skip;
            if (room <= 0) {
                skip = -room;
                continue;
            }
            int step = (int) Math.min(room, lengthBytes - done);
            long part = copyPart(memory, copies, i, skip, from, fromOffset + done, step, waiter);
            if (part < 0) {
                release(copies, copy);
                return part;
            }
            copy = joined(copies, copy, part);
            done += step;
            skip = 0;
        }
        if (done < lengthBytes) {
            release(copies, copy);
            return Memory.REFUSED;
        }
        return copy;
    }

    private long copyPart(
            KeyTable memory,
            CopyPort copies,
            int range,
            long within,
            MemorySegment from,
            long fromOffset,
            int lengthBytes,
            CopyWaiter waiter) {
        int region = memory.localRegion(keys[range], offsets[range] + within, lengthBytes);
        if (region != DeviceKeys.NO_REGION) {
            long offset = memory.localOffset(keys[range]) + offsets[range] + within;
            return copies.copyIn(region, offset, from, fromOffset, lengthBytes, waiter);
        }
        boolean isStored =
                LocalRange.store(memory, keys[range], offsets[range] + within, from, fromOffset, lengthBytes);
        return isStored ? Memory.AT_ONCE : Memory.REFUSED;
    }

    private static long joined(CopyPort copies, long copy, long part) {
        if (copy == Memory.AT_ONCE || part == Memory.AT_ONCE) {
            return Math.max(copy, part);
        }
        copies.join(copy, part);
        return copy;
    }

    private static void release(CopyPort copies, long copy) {
        if (copy != Memory.AT_ONCE) {
            copies.release(copy);
        }
    }
}
