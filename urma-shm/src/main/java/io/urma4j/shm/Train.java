package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.SlotFlags;

/** A message that comes in several chunks. Guarded by the path's receive lock. */
final class Train {
    final Inbound inbound;
    final ReceiveWr wr;
    final int connection; // of the receiver when it began
    final int opcode;
    final long totalBytes;
    CompletionStatus status = CompletionStatus.SUCCESS;
    long received;

    Train(Inbound inbound, ReceiveWr wr, RingReceiver first) {
        this.inbound = inbound;
        this.wr = wr;
        this.connection = inbound.connection();
        this.opcode = first.opcode();
        this.totalBytes = first.totalBytes();
    }

    /** Whether the current slot can be the next chunk. */
    boolean goesOnWith(RingReceiver in) {
        long next = received + in.chunkBytes();
        return in.opcode() == opcode
                && in.totalBytes() == totalBytes
                && (in.has(SlotFlags.LAST) ? next == totalBytes : next <= totalBytes);
    }
}
