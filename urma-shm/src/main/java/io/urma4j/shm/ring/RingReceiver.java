package io.urma4j.shm.ring;

import io.urma4j.spi.support.FieldHandle;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The receiving end of a message ring. One thread at a time.
 *
 * <p>The sender may be hostile and may write while this thread reads: {@link #take} loads each field once, and checks it
 * before use. Payload bytes are only ever copied.
 */
public final class RingReceiver {
    private static final VarHandle POSITION = FieldHandle.of(MethodHandles.lookup(), "position", long.class);
    private static final VarHandle HELD = FieldHandle.of(MethodHandles.lookup(), "held", int.class);

    /** Ids of queues have 24 bits: more would spill into what a record says of the sender. */
    private static final int ID_BITS = 24;

    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;

    /** Maximum coalesced answers: those of two cache lines. */
    private static final int MOST_HELD = 16;

    /** No slot is available. */
    public static final int NONE = 0;
    /** A slot is available. */
    public static final int TAKEN = 1;
    /** A slot is available that no honest sender would have filled so. */
    public static final int BROKEN = 2;

    private final MemorySegment ring;
    private long position; // only the receiver writes it; isReady() reads it on any thread
    private int held; // slots before position that were taken, and whose answer is pending

    @SuppressWarnings("UnusedVariable") // stored so that the JIT does not leave out the load
    private long fetched;

    // the current slot
    private int opcode;
    private int flags;
    private int source;
    private int target;
    private int hint;
    private int chunkBytes;
    private long immediate;
    private long totalBytes;
    private long payloadAt;

    /** The receiving end of {@code ring}, which is unused so far. */
    public RingReceiver(MemorySegment ring) {
        this.ring = ring;
    }

    /** Whether a slot is filled. Any thread may ask; only for the receiver the answer lasts. */
    public boolean isReady() {
        long next = (long) POSITION.getAcquire(this);
        long word = RingLayout.committed(ring, next);
        // fetches the second half of the slot in parallel with the first
        fetched = RingLayout.secondHalf(ring, next);
        return RingLayout.isOfLap(word, next);
    }

    /**
     * Loads the next slot if it is filled.
     *
     * @return {@link #NONE}, {@link #TAKEN}, or {@link #BROKEN} if its content is impossible: the sender is broken or
     *     hostile
     */
    public int take() {
        long next = position;
        long word = RingLayout.committed(ring, next);
        if (!RingLayout.isOfLap(word, next)) {
            return NONE;
        }
        opcode = RingLayout.opcode(word);
        flags = RingLayout.flags(word);
        long queues = RingLayout.queues(ring, next);
        source = RingLayout.sourceOf(queues);
        target = RingLayout.targetOf(queues);
        hint = RingLayout.hintOf(queues);
        boolean sound = has(SlotFlags.SHORT) ? loadShort(word, next) : loadRest(next);
        return sound && (source | target) >>> ID_BITS == 0 ? TAKEN : BROKEN;
    }

    private boolean loadShort(long word, long next) {
        chunkBytes = RingLayout.payloadBytes(word);
        totalBytes = chunkBytes;
        immediate = 0;
        payloadAt = RingLayout.slotPayload(next);
        return chunkBytes <= RingLayout.SLOT_PAYLOAD_BYTES && (flags & (WHOLE | SlotFlags.IN_DATA)) == WHOLE;
    }

    private boolean loadRest(long next) {
        chunkBytes = RingLayout.chunkBytes(ring, next);
        immediate = RingLayout.immediate(ring, next);
        totalBytes = RingLayout.totalBytes(ring, next);
        long dataOffset = RingLayout.dataOffset(ring, next);
        boolean inData = has(SlotFlags.IN_DATA);
        payloadAt = inData ? RingLayout.data(dataOffset) : RingLayout.slotPayload(next);
        long room = inData ? RingLayout.DATA_BYTES - dataOffset : RingLayout.SLOT_PAYLOAD_BYTES;
        return chunkBytes >= 0
                && chunkBytes <= RingLayout.CHUNK_BYTES
                && chunkBytes <= room
                && (!inData || dataOffset >= 0)
                && totalBytes >= chunkBytes
                && totalBytes <= RingLayout.MAX_MESSAGE_BYTES;
    }

    /** The content of the current slot, to explain why it is impossible. */
    public String describe() {
        return "slot " + position + ": opcode 0x" + Integer.toHexString(opcode) + ", flags 0x"
                + Integer.toHexString(flags) + ", from queue " + source + " to queue " + target + ", " + chunkBytes
                + " of " + totalBytes + " bytes";
    }

    /** Answers the current slot, releases it, and advances to the next. */
    public void answer(int answer, int argument) {
        tellHeld();
        RingLayout.answer(ring, position, answer, argument);
        POSITION.setRelease(this, position + 1);
    }

    /**
     * The current slot is TAKEN, but its answer is coalesced: the sender sees it with the next different answer, by {@link
     * #tellHeld}, or when enough are pending. An answer is stored to a line that the sender polls: the store fetches that
     * line again, and delays all later stores of this thread, most of all a reply.
     */
    public void answerTakenLater() {
        if (held == MOST_HELD) {
            tellHeld();
        }
        HELD.setOpaque(this, held + 1);
        POSITION.setRelease(this, position + 1);
    }

    /** Whether an answer is pending. Any thread may ask. */
    public boolean isHolding() {
        return (int) HELD.getOpaque(this) != 0;
    }

    /** Writes the pending answers, if any. */
    public void tellHeld() {
        for (int i = held; i > 0; i--) {
            RingLayout.answer(ring, position - i, Answer.TAKEN, 0);
        }
        HELD.setOpaque(this, 0);
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public int opcode() {
        return opcode;
    }

    public int source() {
        return source;
    }

    public int target() {
        return target;
    }

    /** The hint for the member of a group, 8 bits. */
    public int hint() {
        return hint;
    }

    public int chunkBytes() {
        return chunkBytes;
    }

    public long immediate() {
        return immediate;
    }

    public long totalBytes() {
        return totalBytes;
    }

    /** Position of the slot's payload in {@link #memory()}. */
    public long payloadAt() {
        return payloadAt;
    }

    /** How many slots were answered so far. */
    public long position() {
        return position;
    }

    /** The ring's bytes, for payloads. */
    public MemorySegment memory() {
        return ring;
    }

    /** The thread is about to sleep; the caller must fence and check again before it does. */
    public void setAsleep() {
        RingLayout.setAsleep(ring);
    }
}
