package io.urma4j.udma.device;

import io.urma4j.udma.ring.ReceiveWqe;
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
}
