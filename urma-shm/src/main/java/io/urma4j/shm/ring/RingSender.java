package io.urma4j.shm.ring;

import io.urma4j.spi.support.FieldHandle;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The sending end of a message ring.
 *
 * <p>Two roles, each of one thread at a time: the sender fills slots, the reaper processes their answers. A slot is free
 * again when its answer was reaped; answers arrive in the order of the slots.
 */
public final class RingSender {
    private static final VarHandle SENT = FieldHandle.of(MethodHandles.lookup(), "sent", long.class);
    private static final VarHandle REAPED = FieldHandle.of(MethodHandles.lookup(), "reaped", long.class);
    private static final VarHandle DATA_REAPED = FieldHandle.of(MethodHandles.lookup(), "dataReaped", long.class);

    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;

    private final MemorySegment ring;
    private final long[] dataEnd = new long[RingLayout.SLOTS]; // of the sender, read by the reaper after the commit

    // the sender's own; the reaper reads sent with acquire
    private long sent;
    private long dataSent;

    // the reaper's own; the sender reads them with acquire
    private long reaped;

    @SuppressWarnings("UnusedVariable") // through DATA_REAPED
    private long dataReaped;

    /** The sending end of {@code ring}, which is unused so far. */
    public RingSender(MemorySegment ring) {
        this.ring = ring;
    }

    /** Sender: how many slots were filled so far; the position of the next. */
    public long position() {
        return sent;
    }

    /** Sender: whether a slot is free. */
    public boolean hasSlot() {
        return sent - (long) REAPED.getAcquire(this) < RingLayout.SLOTS;
    }

    /**
     * Sender: position for {@code lengthBytes} of payload of the next slot, as an offset in {@link #memory()}, or −1 if
     * there is no space now. Payloads do not wrap: one that does not fit before the end of the data area starts at its
     * beginning.
     */
    public long payloadRoom(int lengthBytes) {
        if (lengthBytes <= RingLayout.SLOT_PAYLOAD_BYTES) {
            return RingLayout.slotPayload(sent);
        }
        long start = dataSent;
        long beforeEnd = RingLayout.DATA_BYTES - (start & (RingLayout.DATA_BYTES - 1));
        if (beforeEnd < lengthBytes) {
            start += beforeEnd;
        }
        if (start + lengthBytes - (long) DATA_REAPED.getAcquire(this) > RingLayout.DATA_BYTES) {
            return -1;
        }
        return RingLayout.data(start & (RingLayout.DATA_BYTES - 1));
    }

    /** Sender: publishes the next slot. Its payload lies where {@link #payloadRoom} said. */
    public void publish(
            int opcode,
            int flags,
            int source,
            int target,
            int chunkBytes,
            long immediate,
            long totalBytes,
            long payloadAt) {
        if (immediate == 0
                && totalBytes == chunkBytes
                && chunkBytes <= RingLayout.SLOT_PAYLOAD_BYTES
                && (flags & WHOLE) == WHOLE) {
            publishShort(opcode, flags, source, target, chunkBytes);
            return;
        }
        assert hasSlot() : "no slot is free: " + this;
        long position = sent;
        int placed = flags;
        long offset = 0;
        if (chunkBytes > RingLayout.SLOT_PAYLOAD_BYTES) {
            placed |= SlotFlags.IN_DATA;
            offset = payloadAt - RingLayout.data(0);
            long start = dataSent;
            long beforeEnd = RingLayout.DATA_BYTES - (start & (RingLayout.DATA_BYTES - 1));
            dataSent = (beforeEnd < chunkBytes ? start + beforeEnd : start) + ((chunkBytes + 63) & ~63);
            assert dataSent - (long) DATA_REAPED.getAcquire(this) <= RingLayout.DATA_BYTES : "overwritten: " + this;
        }
        dataEnd[(int) position & (RingLayout.SLOTS - 1)] = dataSent;
        RingLayout.fill(ring, position, source, target, chunkBytes, immediate, totalBytes, offset);
        RingLayout.commit(ring, position, opcode, placed);
        SENT.setRelease(this, position + 1);
    }

    /** Sender: publishes the next slot, which contains the payload of a whole message without an immediate. */
    public void publishShort(int opcode, int flags, int source, int target, int chunkBytes) {
        assert hasSlot() : "no slot is free: " + this;
        long position = sent;
        dataEnd[(int) position & (RingLayout.SLOTS - 1)] = dataSent;
        RingLayout.fillShort(ring, position, source, target);
        RingLayout.commitShort(ring, position, opcode, flags | SlotFlags.SHORT, chunkBytes);
        SENT.setRelease(this, position + 1);
    }

    /** Reaper: the position of the oldest slot without a reaped answer. */
    public long reaped() {
        return reaped;
    }

    /**
     * Reaper: the answer word of the oldest such slot, or 0 if there is none yet. Answers to slots that were not sent are
     * ignored.
     */
    public long peekAnswer() {
        long next = (long) REAPED.getAcquire(this);
        if (next == (long) SENT.getAcquire(this)) {
            return 0;
        }
        long word = RingLayout.answered(ring, next);
        return RingLayout.isOfLap(word, next) ? word : 0;
    }

    /** Whether the receiver owes the answer to the oldest slot. For any thread. */
    public boolean awaitsAnswer() {
        return (long) REAPED.getAcquire(this) != (long) SENT.getAcquire(this) && peekAnswer() == 0;
    }

    /** How many answers were reaped. For any thread. */
    public long answered() {
        return (long) REAPED.getAcquire(this);
    }

    /** Reaper: frees the slot whose answer was peeked. */
    public void reap() {
        assert reaped < (long) SENT.getAcquire(this) : "nothing to reap: " + this;
        DATA_REAPED.setRelease(this, dataEnd[(int) reaped & (RingLayout.SLOTS - 1)]);
        REAPED.setRelease(this, reaped + 1);
    }

    /** Whether the receiver slept; on true the caller must wake it. The caller has fenced after its last store. */
    public boolean takeAsleep() {
        return RingLayout.takeAsleep(ring);
    }

    /** The ring's bytes, for payloads. */
    public MemorySegment memory() {
        return ring;
    }

    @Override
    public String toString() {
        return "RingSender[" + sent + " sent, " + reaped + " reaped; data " + dataSent + " sent, " + dataReaped
                + " reaped]";
    }
}
