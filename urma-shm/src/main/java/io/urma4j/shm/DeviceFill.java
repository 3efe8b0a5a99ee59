package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.UrmaException;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of an arrived message that a copy engine moves into a buffer in device memory. They have left the ring, which may vanish with its peer; the
 * slot is answered once they are there. Guarded by the path's receive lock, except {@link #run}.
 */
final class DeviceFill {
    final Inbound inbound;
    final ReceiveWr wr;
    final @Nullable Train train; // null for a message of one slot
    final int connection; // of the receiver when the message began

    private final MemorySegment bytes;
    private final long at;

    /** A thread makes the copy. */
    boolean isStarted;

    /** Its receiver or its peer is gone: the slot is not answered. */
    boolean isAbandoned;

    /** Takes the current slot's bytes, which belong at byte {@code at} of the buffers. */
    DeviceFill(Inbound inbound, ReceiveWr wr, @Nullable Train train, RingReceiver in, long at) {
        this.inbound = inbound;
        this.wr = wr;
        this.train = train;
        this.connection = train == null ? inbound.connection() : train.connection;
        this.at = at;
        this.bytes = MemorySegment.ofArray(new byte[in.chunkBytes()]);
        MemorySegment.copy(in.memory(), in.payloadAt(), bytes, 0, in.chunkBytes());
    }

    /** Moves the bytes. Blocks as long as the device takes, without a lock. */
    CompletionStatus run() {
        try {
            wr.buffers.scatter(bytes, 0, at, bytes.byteSize());
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            Placement.forgetFence(e);
            return CompletionStatus.LOC_ACCESS_ERR;
        }
    }
}
