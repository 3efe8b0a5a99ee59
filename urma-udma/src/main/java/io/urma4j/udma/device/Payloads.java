package io.urma4j.udma.device;

import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

/** Moves the payload of a send work queue element: inline, or gathered from and scattered to its local ranges. */
final class Payloads {
    private Payloads() {}

    /** Into a packet, as its payload. */
    static boolean gather(KeyTable keys, MemorySegment ring, long at, long from, Packet to, int lengthBytes) {
        if ((SendWqe.flags(ring, at) & SendWqe.INLINE) != 0) {
            MemorySegment.copy(ring, SendWqe.inlineAt(at) + from, to.bytes(), to.payloadAt(), lengthBytes);
            return true;
        }
        int ranges = SendWqe.ranges(ring, at);
        long skip = from;
        int done = 0;
        for (int i = 0; i < ranges && done < lengthBytes; i++) {
            long available = Integer.toUnsignedLong(SendWqe.rangeLengthBytes(ring, at, i)) - skip;
            if (available <= 0) {
                skip = -available;
                continue;
            }
            int step = (int) Math.min(available, lengthBytes - done);
            long offset = SendWqe.rangeOffset(ring, at, i) + skip;
            int key = SendWqe.rangeKey(ring, at, i);
            if (step == lengthBytes) {
                return LocalRange.load(keys, key, offset, to, lengthBytes);
            }
            if (!LocalRange.load(keys, key, offset, to.bytes(), to.payloadAt() + done, step)) {
                return false;
            }
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }

    static boolean scatter(
            KeyTable keys,
            MemorySegment ring,
            long at,
            long position,
            MemorySegment from,
            long fromOffset,
            int lengthBytes) {
        int ranges = SendWqe.ranges(ring, at);
        long skip = position;
        int done = 0;
        for (int i = 0; i < ranges && done < lengthBytes; i++) {
            long room = Integer.toUnsignedLong(SendWqe.rangeLengthBytes(ring, at, i)) - skip;
            if (room <= 0) {
                skip = -room;
                continue;
            }
            int step = (int) Math.min(room, lengthBytes - done);
            long offset = SendWqe.rangeOffset(ring, at, i) + skip;
            if (!LocalRange.store(keys, SendWqe.rangeKey(ring, at, i), offset, from, fromOffset + done, step)) {
                return false;
            }
            done += step;
            skip = 0;
        }
        return done == lengthBytes;
    }
}
