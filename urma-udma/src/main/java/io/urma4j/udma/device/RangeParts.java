package io.urma4j.udma.device;

import io.urma4j.udma.ring.SendWqe;
import java.lang.foreign.MemorySegment;

/** Walks through the local ranges of a send work queue element that a piece of its payload covers. Used again and again. */
final class RangeParts {
    private MemorySegment ring = MemorySegment.NULL;
    private long at;
    private int ranges;
    private long skip;
    private int leftBytes;

    /** Number of the range. */
    int index;

    /** Where the part begins in the range. */
    long within;

    int lengthBytes;

    /** Before the first part of {@code lengthBytes} from byte {@code from} of the payload on. */
    void begin(MemorySegment ring, long at, long from, int lengthBytes) {
        this.ring = ring;
        this.at = at;
        this.ranges = SendWqe.ranges(ring, at);
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

    int key() {
        return SendWqe.rangeKey(ring, at, index);
    }

    long rangeBytes() {
        return Integer.toUnsignedLong(SendWqe.rangeLengthBytes(ring, at, index));
    }

    /** Where the range begins in its segment. */
    long rangeOffset() {
        return SendWqe.rangeOffset(ring, at, index);
    }

    @Override
    public String toString() {
        return "range " + index + " of " + ranges + ": " + lengthBytes + " bytes from " + within + " on";
    }
}
