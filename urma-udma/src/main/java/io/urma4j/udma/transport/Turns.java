package io.urma4j.udma.transport;

import org.jspecify.annotations.Nullable;

/**
 * The responder resources: the last READs and atomics of the peer, as many as it was promised (WIRE §4.2). An atomic that
 * comes again gets the answer that it got, and is not executed; a READ is read again, within its range.
 */
final class Turns {
    private final @Nullable Turn[] slots; // made when a READ or an atomic first needs one
    private long first; // the oldest that may be wanted
    private long next; // where the next one goes

    /** For at least so many, 0 for none. */
    Turns(int count) {
        slots = new Turn[count == 0 ? 0 : Integer.highestOneBit(2 * count - 1)];
    }

    boolean isNone() {
        return slots.length == 0;
    }

    /** Whether the oldest was answered, so that its place can be taken. */
    boolean hasRoom() {
        Turn oldest = slots[slot(next)];
        return oldest == null || !oldest.isWanted();
    }

    /** A place for a new one; to be filled at once. */
    Turn add() {
        Turn turn = at(next);
        next++;
        turn.letGo();
        first = Math.max(first, next - slots.length);
        return turn;
    }

    /** The oldest of which something is to be sent; null when there is none. */
    @Nullable
    Turn wanted() {
        while (first < next) {
            Turn turn = at(first);
            if (turn.isWanted()) {
                return turn;
            }
            first++;
        }
        return null;
    }

    /** The one that a PSN belongs to; null when it is not remembered. */
    @Nullable
    Turn find(long psn) {
        for (long i = next - 1; i >= Math.max(0, next - slots.length); i--) {
            Turn turn = at(i);
            if (psn >= turn.firstPsn && psn < turn.firstPsn + turn.packets) {
                return turn;
            }
        }
        return null;
    }

    /** Its answer is to be sent again, or a part of it. */
    void want(Turn turn, long fromPsn, long toPsn, long endByte) {
        turn.want(fromPsn, toPsn, endByte);
        first = Math.max(0, next - slots.length);
    }

    /** A part of its answer was lost, and is to be sent beside what is on its way. */
    void wantToo(Turn turn, long fromPsn, long toPsn) {
        turn.wantToo(fromPsn, toPsn);
        first = Math.max(0, next - slots.length);
    }

    void clear() {
        for (Turn turn : slots) {
            if (turn != null) {
                turn.letGo();
            }
        }
    }

    private Turn at(long index) {
        int slot = slot(index);
        Turn turn = slots[slot];
        if (turn == null) {
            turn = new Turn();
            slots[slot] = turn;
        }
        return turn;
    }

    private int slot(long index) {
        return (int) index & slots.length - 1;
    }
}
