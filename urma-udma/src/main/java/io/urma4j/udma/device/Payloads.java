package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.wire.Packet;

/** Moves the payload of a send work queue element: inline, or gathered from and scattered to its local ranges. */
final class Payloads {
    private final KeyTable keys;
    private final RangeParts parts = new RangeParts();

    Payloads(KeyTable keys) {
        this.keys = keys;
    }

    /** Into a packet, as its payload. */
    boolean gather(NativeMemory ring, long at, long from, Packet to, int lengthBytes) {
        int word = SendWqe.word(ring, at);
        if ((SendWqe.flags(word) & SendWqe.INLINE) != 0) {
            NativeMemory.copy(ring, SendWqe.inlineAt(at) + from, to.bytes(), to.payloadAt(), lengthBytes);
            return true;
        }
        long next = to.payloadAt();
        parts.begin(ring, SendWqe.rangesAt(at), SendWqe.ranges(word), from, lengthBytes);
        while (parts.next()) {
            if (parts.lengthBytes == lengthBytes) {
                return LocalRange.load(keys, parts.key(), parts.offset(), to, lengthBytes);
            }
            if (!parts.load(keys, to.bytes(), next)) {
                return false;
            }
            next += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    boolean scatter(NativeMemory ring, long at, long position, NativeMemory from, long fromOffset, int lengthBytes) {
        parts.beginSend(ring, at, position, lengthBytes);
        return parts.storeAll(keys, from, fromOffset);
    }
}
