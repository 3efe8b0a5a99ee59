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

    /** The responder has everything before this one. */
    private long takenUpTo = Long.MIN_VALUE;

    /** Nothing is known of the packets behind this one. */
    private long knownUpTo = Long.MAX_VALUE;

    /** For a packet that was sent again: what has this PSN or a later one was sent after it. */
    private final long[] sentBehind = new long[ConnectionConfig.MAX_WINDOW_PACKETS];

    private long overUpTo;

    Missing(long firstPsn) {
        overUpTo = firstPsn;
    }

    /**
     * The responder has told what it has.
     *
     * @param expected the first that it does not have
     * @param end behind the last one that was ever sent
     * @param inFlight what was sent: a READ has the PSNs of its answers, and is one packet
     * @return how many packets are missing that were not sent again so far
     */
    int told(long expected, long end, InFlight inFlight, MemorySegment kept, long at, int keptBytes) {
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
            if (!arrived.has(psn) && !repeated.has(psn)) {
                Message message = inFlight.find(psn);
                if (message != null && message.isAnswered() && psn > message.firstPsn) {
                    psn = message.endPsn() - 1; // of answers, which are another matter
                } else {
                    lost++;
                }
            }
        }
        takenUpTo = expected;
        knownUpTo = highest;
        return lost;
    }

    /** Whether the packet need not be sent again. */
    boolean skips(long psn) {
        return psn < takenUpTo || psn > knownUpTo || arrived.has(psn) || repeated.has(psn);
    }

    void repeated(long psn, long end) {
        repeated.add(psn);
        sentBehind[slot(psn)] = end;
    }

    /** Whether the packet was sent again already. */
    boolean isRepeated(long psn) {
        return repeated.has(psn);
    }

    /** Of a packet that was sent again: what has that PSN or a later one was sent after it. */
    long sentBehind(long psn) {
        return sentBehind[slot(psn)];
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
        takenUpTo = Long.MIN_VALUE;
        knownUpTo = Long.MAX_VALUE;
    }
}
