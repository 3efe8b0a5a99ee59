package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Packet;

/** WRITEs that were executed and are not placed: consecutive PSNs, each with the number of its copy, first in, first out. */
final class PendingWrites {
    static final int SLOTS = OutOfOrder.SLOTS;

    private static final int MASK = SLOTS - 1;
    private static final long NO_COPY = 0;

    // notes of a WRITE; the lowest bits are the transmission, those from the 8th on a syndrome
    private static final int TRANSMISSION = 7;
    private static final int BEGINS = 0x08;
    private static final int ENDS = 0x10;
    private static final int ASKS = 0x20;
    private static final int DISCARDED = 0x40;
    private static final int SYNDROME_SHIFT = 8;

    private final Memory memory;
    private final long[] copies = new long[SLOTS];
    private final int[] notes = new int[SLOTS];
    private long first;
    private int count;

    PendingWrites(Memory memory) {
        this.memory = memory;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == SLOTS;
    }

    /**
     * A WRITE was executed, but for its copy.
     *
     * @param copy the number of its copy; 0 if it has none
     * @param hasEnded whether its message has succeeded, if all of it can be placed
     */
    void add(Packet packet, long psn, int transmission, long copy, boolean hasEnded) {
        assert count < SLOTS && (count == 0 || psn == first + count) : psn + " behind " + count + " from " + first;
        first = count == 0 ? psn : first;
        boolean begins = ReceivedRequest.isFirst(packet.opcode());
        boolean asks = Bth.asksForAcknowledgement(packet.bytes());
        copies[slot(psn)] = copy;
        notes[slot(psn)] =
                transmission & TRANSMISSION | (begins ? BEGINS : 0) | (hasEnded ? ENDS : 0) | (asks ? ASKS : 0);
        count++;
    }

    private static int slot(long psn) {
        return (int) psn & MASK;
    }

    /** The one that was added last is refused. */
    void refuseLast(int syndrome) {
        notes[slot(first + count - 1)] |= syndrome << SYNDROME_SHIFT;
    }

    /** The one that was added last is left of a message that was refused with that syndrome. */
    void discardLast(int syndrome) {
        discard(slot(first + count - 1), syndrome);
    }

    private void discard(int slot, int syndrome) {
        notes[slot] = notes[slot] & ~ENDS | DISCARDED | syndrome << SYNDROME_SHIFT;
    }

    // ---- the oldest one

    /** Whether it has ended. */
    boolean hasEnded() {
        long copy = count == 0 ? NO_COPY : copies[slot(first)];
        return count > 0 && (copy == NO_COPY || memory.state(copy) != CopyState.RUNNING);
    }

    long psn() {
        return first;
    }

    int transmission() {
        return note() & TRANSMISSION;
    }

    /** Its message succeeds with it. */
    boolean isSuccess() {
        return (note() & ENDS) != 0;
    }

    boolean asksForAcknowledgement() {
        return (note() & ASKS) != 0;
    }

    /** It is left of a refused message. */
    boolean isDiscarded() {
        return (note() & DISCARDED) != 0;
    }

    /** The syndrome that refuses it, or refused its message; {@link Incoming#FINE} for none. */
    int syndrome() {
        int noted = note() >>> SYNDROME_SHIFT;
        long copy = copies[slot(first)];
        return noted != Incoming.FINE || copy == NO_COPY
                ? noted
                : memory.state(copy).syndrome();
    }

    private int note() {
        return notes[slot(first)];
    }

    /**
     * It is refused on a shared connection, and with it the rest of its message.
     *
     * @return whether more of the message is to come
     */
    boolean discardRest(int syndrome) {
        boolean isOpen = isOpen(slot(first));
        for (long psn = first + 1; psn < first + count && isOpen; psn++) {
            boolean isSameMessage = (notes[slot(psn)] & BEGINS) == 0;
            isOpen = isSameMessage && isOpen(slot(psn));
            if (isSameMessage) {
                discard(slot(psn), syndrome);
            }
        }
        return isOpen;
    }

    /** Whether the message may go on behind it. */
    private boolean isOpen(int slot) {
        return (notes[slot] & ENDS) == 0 && notes[slot] >>> SYNDROME_SHIFT == 0;
    }

    void removeFirst() {
        long copy = copies[slot(first)];
        first++;
        count--;
        if (copy != NO_COPY) {
            memory.release(copy);
        }
    }

    /** All copies that have not ended do so without a word. */
    void abandon() {
        while (count > 0) {
            removeFirst();
        }
    }
}
