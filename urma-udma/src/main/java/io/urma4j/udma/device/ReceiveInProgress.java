package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.WqeRange;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import org.jspecify.annotations.Nullable;

/**
 * A receive work request whose message is arriving: a copy of its element. The object is reused; each use has a generation,
 * which identifies handles of an earlier use.
 */
final class ReceiveInProgress {
    final int index;
    private final KeyTable keys;
    private final CopyPort copies;
    int generation;
    private int ranges;
    long position; // in the order in which the work requests were posted
    long cookie;
    long capacityBytes;

    /** The receiver of the message; null if not in use, or released. */
    @Nullable
    Receiver receiver;

    /** The next released or free one. */
    @Nullable
    ReceiveInProgress next;

    /** Copies of this use have begun. */
    private boolean hasCopies;

    /** What the next use waits for: a number of the copies. */
    private long earlier = Memory.AT_ONCE;

    private final RangeParts parts = new RangeParts();
    private NativeMemory list = listOf(1);

    ReceiveInProgress(int index, KeyTable keys, CopyPort copies) {
        this.index = index;
        this.keys = keys;
        this.copies = copies;
    }

    private static NativeMemory listOf(int ranges) {
        return NativeMemory.allocate((long) ranges * WqeRange.BYTES);
    }

    long handle() {
        return (long) generation << Integer.SIZE | index;
    }

    void fill(NativeMemory ring, long at) {
        ranges = ReceiveWqe.ranges(ring, at);
        cookie = ReceiveWqe.cookie(ring, at);
        hasCopies = false;
        earlier = Memory.AT_ONCE;
        if (list.lengthBytes() < (long) ranges * WqeRange.BYTES) {
            list = listOf(ranges);
        }
        capacityBytes = 0;
        long from = ReceiveWqe.rangesAt(at);
        for (int i = 0; i < ranges; i++) {
            WqeRange.copy(ring, from, list, 0, i);
            capacityBytes += Integer.toUnsignedLong(WqeRange.lengthBytes(list, 0, i));
        }
    }

    /** Its message does not complete, and it is used for another one: bytes of the first may still be in flight. */
    void giveBack() {
        for (int i = 0; i < ranges && hasCopies; i++) {
            int region = keys.localRegion(WqeRange.key(list, 0, i), 0, 0);
            if (region != DeviceKeys.NO_REGION) {
                earlier = copies.barrier(earlier, region, CopyWaiter.NONE);
            }
        }
        hasCopies = false;
    }

    /** Whether no byte of another message moves any more. */
    boolean isQuiet() {
        return earlier == Memory.AT_ONCE || copies.state(earlier) != CopyState.RUNNING;
    }

    /** Copies bytes of a message to its byte {@code position}; false if the memory is closed. */
    boolean scatter(long position, NativeMemory from, long fromOffset, int lengthBytes) {
        parts.begin(list, 0, ranges, position, lengthBytes);
        return parts.storeAll(keys, from, fromOffset);
    }

    /**
     * Begins to copy bytes of a message to its byte {@code position}, of which some belong on a device.
     *
     * @return the number of the copy; {@link Memory#REFUSED} if memory is gone; {@link Memory#BUSY} if nothing was begun
     */
    long copy(long position, NativeMemory from, long fromOffset, int lengthBytes, CopyWaiter waiter) {
        long copy = Memory.AT_ONCE;
        long next = fromOffset;
        parts.begin(list, 0, ranges, position, lengthBytes);
        while (parts.next()) {
            long part = copyPart(from, next, waiter);
            if (part < 0) {
                release(copy);
                return part;
            }
            copy = joined(copy, part);
            next += parts.lengthBytes;
        }
        if (!parts.isWhole()) {
            release(copy);
            return Memory.REFUSED;
        }
        return copy;
    }

    private long copyPart(NativeMemory from, long fromOffset, CopyWaiter waiter) {
        int key = parts.key();
        int region = keys.localRegion(key, parts.offset(), parts.lengthBytes);
        if (region != DeviceKeys.NO_REGION) {
            long offset = keys.localOffset(key) + parts.offset();
            long copy = copies.copyIn(region, offset, from, fromOffset, parts.lengthBytes, waiter);
            hasCopies |= copy > Memory.AT_ONCE;
            return copy;
        }
        return parts.store(keys, from, fromOffset) ? Memory.AT_ONCE : Memory.REFUSED;
    }

    private long joined(long copy, long part) {
        if (copy == Memory.AT_ONCE || part == Memory.AT_ONCE) {
            return Math.max(copy, part);
        }
        copies.join(copy, part);
        return copy;
    }

    private void release(long copy) {
        if (copy != Memory.AT_ONCE) {
            copies.release(copy);
        }
    }
}
