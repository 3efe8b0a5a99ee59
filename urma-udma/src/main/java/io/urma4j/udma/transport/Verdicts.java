package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;

/**
 * The refusals of a shared connection, and which of them are due. A refusal is due when its message is refused, and again when
 * the requester goes back.
 */
final class Verdicts {
    /** In place of a PSN. */
    static final long NONE = Long.MAX_VALUE;

    // in verdicts, beside the syndromes of refusals, which are 0x20…0x3F and 0x60…0x6F
    private static final int DUE = 0x80;
    private static final int BEHIND_NOT_READY = 0x20; // added
    private static final int BEHIND_ERROR = 0x10; // added

    private final NakHistory history = new NakHistory();

    /** No verdict before that PSN is due. */
    private long dueFrom = NONE;

    /** Each refusal from that PSN on is due: a peer that repeats one packet causes no second search of them. */
    private long allDueFrom = NONE;

    private long cameAgainLast = NONE;

    /** These PSNs are executed: what is known of their places is of long ago. */
    void clear(long psn, long expected) {
        history.clear(psn, expected);
    }

    /** A message was refused at that PSN. */
    void refused(long psn, int syndrome) {
        due(psn, syndrome);
    }

    /** The packet of that PSN is left of a refused message: it has the same verdict, which is due when it comes again. */
    void discarded(long psn, int syndrome) {
        boolean isNotReady = Aeth.kind(syndrome) == Aeth.Kind.RNR_NAK;
        history.set(psn, syndrome + (isNotReady ? BEHIND_NOT_READY : BEHIND_ERROR));
    }

    private static boolean isBehind(int verdict) {
        return verdict >= 0x70 || verdict >= 0x40 && verdict < 0x60;
    }

    /** The syndrome of the NAK for that PSN. */
    int syndrome(long psn) {
        int verdict = history.get(psn) & ~DUE;
        return isBehind(verdict) ? verdict - (verdict < 0x60 ? BEHIND_NOT_READY : BEHIND_ERROR) : verdict;
    }

    // ---- what is due

    /**
     * The requester goes back to that PSN: every verdict from there on may have been lost. It waits for all of them, but need
     * not come to all of them with the window that it has now. Of what comes again behind the first, its own is enough.
     *
     * @return whether one is due
     */
    boolean cameAgain(long psn, long expected) {
        if (expected - psn > ConnectionConfig.MAX_WINDOW_PACKETS) {
            return false;
        }
        boolean isOneDue = false;
        long end = endOfSearch(psn, expected);
        for (long at = history.next(psn, end); at < end; at = history.next(at + 1, end)) {
            int verdict = history.get(at) & ~DUE;
            if (at == psn || !isBehind(verdict)) {
                due(at, verdict);
                isOneDue = true;
            }
        }
        allDueFrom = isNext(psn) ? allDueFrom : Math.min(allDueFrom, psn);
        cameAgainLast = psn;
        return isOneDue;
    }

    /** The PSN behind the last one whose verdict may become due when that PSN comes again: those behind it are due. */
    long endOfSearch(long psn, long expected) {
        return Math.min(expected, isNext(psn) ? psn + 1 : Math.max(psn + 1, allDueFrom));
    }

    private boolean isNext(long psn) {
        return psn == cameAgainLast + 1;
    }

    private void due(long psn, int verdict) {
        history.set(psn, verdict | DUE);
        dueFrom = Math.min(dueFrom, psn);
    }

    boolean isNoneDue() {
        return dueFrom == NONE;
    }

    /** The first PSN whose verdict is due; {@link #NONE} for none. */
    long next(long expected) {
        while (dueFrom != NONE) {
            dueFrom = history.next(Math.max(dueFrom, expected - ConnectionConfig.MAX_WINDOW_PACKETS), expected);
            if (dueFrom == expected) {
                dueFrom = NONE;
            } else if ((history.get(dueFrom) & DUE) != 0) {
                return dueFrom;
            } else {
                dueFrom++;
            }
        }
        return NONE;
    }

    /** The NAK of the {@linkplain #next next} one has left. */
    void sent(long psn) {
        history.set(psn, history.get(psn) & ~DUE);
        allDueFrom = Math.max(allDueFrom, psn + 1);
    }
}
