package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * What a requester knows of the packets behind one that was lost: which have arrived, and which it has sent again already.
 * Neither is sent again, nor what may still be on its way.
 */
final class Missing {
    private final PsnSet arrived = new PsnSet();
    private final PsnSet repeated = new PsnSet();

    /** Nothing is known of the packets behind this one. */
    private long knownUpTo = Long.MAX_VALUE;

    /** For a packet that was sent again: what has this PSN or a later one was sent after it. */
    private final long[] sentBehind = new long[ConnectionConfig.MAX_WINDOW_PACKETS];

    private long overUpTo = Long.MIN_VALUE;

    /**
     * The responder has told what it has.
     *
     * @param expected the first that it does not have
     * @param end behind the last one that was ever sent
     * @return how many packets are missing that were not sent again so far
     */
    int told(long expected, long end, MemorySegment kept, long at, int keptBytes) {
        long highest = expected;
        for (int i = 0; i < keptBytes * Byte.SIZE; i++) {
            long psn = expected + 1 + i;
            boolean isKept = (kept.get(JAVA_BYTE, at + i / Byte.SIZE) & 1 << i % Byte.SIZE) != 0;
            if (isKept && psn < end) {
                arrived.add(psn);
                highest = psn;
            }
        }
        int lost = 0;
        for (long psn = expected; psn <= highest; psn++) {
            if (repeated.has(psn) && highest >= sentBehind[slot(psn)]) {
                repeated.clear(psn, psn + 1); // what was sent after it has arrived, and it has not: lost once more
            }
            lost += arrived.has(psn) || repeated.has(psn) ? 0 : 1;
        }
        knownUpTo = highest;
        return lost;
    }

    /** Whether the packet need not be sent again. */
    boolean skips(long psn) {
        return psn > knownUpTo || arrived.has(psn) || repeated.has(psn);
    }

    void repeated(long psn, long end) {
        repeated.add(psn);
        sentBehind[slot(psn)] = end;
    }

    private static int slot(long psn) {
        return (int) psn & ConnectionConfig.MAX_WINDOW_PACKETS - 1;
    }

    /** Packets that are unacknowledged and yet not on their way. */
    int arrived() {
        return arrived.count();
    }

    /** Everything before that PSN is acknowledged. */
    void over(long unacked) {
        if (arrived.count() > 0 || repeated.count() > 0) {
            long from = Math.max(overUpTo, unacked - ConnectionConfig.MAX_WINDOW_PACKETS);
            arrived.clear(from, unacked);
            repeated.clear(from, unacked);
        }
        overUpTo = unacked;
    }

    /** All of it is sent again, whatever was known. */
    void forget() {
        arrived.clear();
        repeated.clear();
        knownUpTo = Long.MAX_VALUE;
    }
}
