package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WqeRange;

/** Walks through the local ranges of a work request that a piece of its payload covers. The object is reused. */
final class RangeParts {
    private NativeMemory ring = NativeMemory.NONE;
    private long list;
    private int ranges;
    private long skip;
    private int leftBytes;

    /** Number of the range. */
    int index;

    /** Where the part begins in the range. */
    long within;

    int lengthBytes;

    /** Before the first part of {@code lengthBytes} from byte {@code from} of the payload of a send work queue element on. */
    void beginSend(NativeMemory elements, long at, long from, int lengthBytes) {
        begin(elements, SendWqe.rangesAt(at), SendWqe.ranges(SendWqe.word(elements, at)), from, lengthBytes);
    }

    /** The same for the ranges of a list in {@code ring}. */
    void begin(NativeMemory ring, long list, int ranges, long from, int lengthBytes) {
        this.ring = ring;
        this.list = list;
        this.ranges = ranges;
        this.skip = from;
        this.leftBytes = lengthBytes;
        this.index = -1;
    }

    /** Goes to the next part; false if there is none. */
    boolean next() {
        while (leftBytes > 0 && ++index < ranges) {
            long available = rangeBytes() - skip;
            if (available > 0) {
                within = skip;
                lengthBytes = (int) Math.min(available, leftBytes);
                leftBytes -= lengthBytes;
                skip = 0;
                return true;
            }
            skip = -available;
        }
        return false;
    }

    /** Whether the ranges covered all of the piece, behind the last part. */
    boolean isWhole() {
        return leftBytes == 0;
    }

    // ---- the part

    int key() {
        return WqeRange.key(ring, list, index);
    }

    long rangeBytes() {
        return Integer.toUnsignedLong(WqeRange.lengthBytes(ring, list, index));
    }

    /** Where the range begins in its segment. */
    long rangeOffset() {
        return WqeRange.offset(ring, list, index);
    }

    /** Where the part begins in its segment. */
    long offset() {
        return rangeOffset() + within;
    }

    /** Copies from the part; false if the memory is closed, or the range is not inside. */
    boolean load(KeyTable keys, NativeMemory to, long toOffset) {
        return keys.loadLocal(key(), offset(), to, toOffset, lengthBytes);
    }

    /** Copies into the part; false if the memory is closed, or the range is not inside. */
    boolean store(KeyTable keys, NativeMemory from, long fromOffset) {
        return keys.storeLocal(key(), offset(), from, fromOffset, lengthBytes);
    }

    /** Copies into all parts; false if memory is closed, or the ranges are too short. */
    boolean storeAll(KeyTable keys, NativeMemory from, long fromOffset) {
        long next = fromOffset;
        while (next()) {
            if (!store(keys, from, next)) {
                return false;
            }
            next += lengthBytes;
        }
        return isWhole();
    }

    @Override
    public String toString() {
        return "range " + index + " of " + ranges + ": " + lengthBytes + " bytes from " + within + " on";
    }
}
