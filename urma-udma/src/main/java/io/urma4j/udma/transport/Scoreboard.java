package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Bth;
import java.util.Arrays;

/**
 * What a requester knows of its packets while some are missing: which have arrived, which are lost, which it has retransmitted
 * already, and when. A packet is lost when one that was sent after it has arrived, and it has not in the time that packets
 * are late here (RACK, RFC 8985, with a {@link ReorderWindow}). What was retransmitted has a time of its own, and is lost once
 * more by the same rule.
 *
 * <p>A packet that counted as lost and was only late has its responder see it twice. Which of the two was first tells the
 * time of the first answer: when no round trip is as short as that from the second one, it was the first one. Otherwise the
 * responder tells that another one has come. Either way the congestion control takes the loss back (Eifel, RFC 3522 and
 * 4015, with what RFC 3708 tells duplicates by).
 */
final class Scoreboard {
    private static final int SLOTS = ConnectionConfig.MAX_WINDOW_PACKETS;
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final long NEVER = Long.MAX_VALUE;

    /** In place of a transmission: nothing says which one of a packet has come. */
    private static final int UNTOLD = -1;

    private final CongestionControl congestion;
    private final ReorderWindow window = new ReorderWindow();

    /** Of those behind {@link #takenUpTo}. */
    private final PsnSet arrived = new PsnSet();

    /** To be retransmitted. */
    private final PsnSet lost = new PsnSet();

    /** Were retransmitted: until their number is used anew, since a late one may show when it is acknowledged long ago. */
    private final PsnSet repeated = new PsnSet();

    /** Counted as lost, and were retransmitted once at most, as long as nothing has shown that they were not lost. */
    private final PsnSet suspected = new PsnSet();

    /** When a packet was sent first; an answer of a READ has no packet of ours. */
    private final long[] sentAt = new long[SLOTS];

    // nothing of these is needed before the first gap

    /** When a packet was retransmitted, or an answer was asked for again. */
    private long[] repeatedAt = {};

    /** Which transmission that was. */
    private byte[] transmissions = {};

    /** What has this PSN or a later one was sent after that. */
    private long[] sentBehind = {};

    /** Since when a packet that was sent after it is known to have arrived. */
    private long[] missedAt = {};

    /** The same before it was retransmitted. */
    private long[] missedBeforeAt = {};

    /** None that was retransmitted has this PSN or a later one. */
    private long repeatedUpTo = Long.MIN_VALUE;

    /** The responder has everything before this one. */
    private long takenUpTo = Long.MIN_VALUE;

    /** Everything before this one is retransmitted, whatever is known of it. */
    private long allUpTo = Long.MIN_VALUE;

    private long overUpTo;

    // of the packets that have arrived, the one that was sent last
    private long youngestAt = Long.MIN_VALUE;
    private long youngestPsn = Long.MIN_VALUE;

    private long sample = CongestionControl.NO_SAMPLE;
    private boolean isSampleSure;
    private long dueNanos = NEVER;
    private long lateNanos;

    Scoreboard(long firstPsn, CongestionControl congestion) {
        this.overUpTo = firstPsn;
        this.congestion = congestion;
        Arrays.fill(sentAt, UNKNOWN);
    }

    private static int slot(long psn) {
        return (int) psn & SLOTS - 1;
    }

    // ---- what is sent

    /** A new packet was sent, which has the PSNs up to {@code next}. */
    void sent(long psn, long next, long nowNanos) {
        takesNumbers(psn, next);
        sentAt[slot(psn)] = nowNanos;
    }

    /** These PSNs have no packet of which the time is known. */
    void takesNumbers(long psn, long next) {
        for (long at = psn; at < next; at++) {
            sentAt[slot(at)] = UNKNOWN;
            if (missedAt.length > 0) {
                missedAt[slot(at)] = UNKNOWN;
            }
        }
        repeated.clear(psn, next);
        suspected.clear(psn, next);
    }

    private void keepTimes() {
        if (missedAt.length == 0) {
            repeatedAt = new long[SLOTS];
            transmissions = new byte[SLOTS];
            sentBehind = new long[SLOTS];
            missedAt = new long[SLOTS];
            missedBeforeAt = new long[SLOTS];
            Arrays.fill(missedAt, UNKNOWN);
        }
    }

    /** An answer was asked for again that something had shown to be missing since that time. */
    void repeatedAnswer(long psn, long end, long missedNanos, long nowNanos) {
        repeated(psn, end, nowNanos);
        missedBeforeAt[slot(psn)] = missedNanos;
    }

    /** A packet was retransmitted; what is sent after it has the PSN {@code end} or a later one. */
    void repeated(long psn, long end, long nowNanos) {
        keepTimes();
        int slot = slot(psn);
        lost.remove(psn);
        transmissions[slot] = (byte) nextTransmission(psn);
        if (repeated.has(psn)) {
            suspected.remove(psn); // if two of three arrive, the first may be lost all the same
        }
        repeated.add(psn);
        repeatedAt[slot] = nowNanos;
        sentBehind[slot] = end;
        missedBeforeAt[slot] = missedAt[slot];
        missedAt[slot] = UNKNOWN;
        repeatedUpTo = Math.max(repeatedUpTo, psn + 1);
        assert invariants();
    }

    /** Of a packet that was sent: which transmission the next one is. */
    int nextTransmission(long psn) {
        return Bth.nextTransmission(repeated.has(psn) ? transmissions[slot(psn)] : Bth.FIRST_TRANSMISSION);
    }

    /** Whether the packet was retransmitted already. */
    boolean isRepeated(long psn) {
        return repeated.has(psn);
    }

    /** Of a packet that was retransmitted: what has that PSN or a later one was sent after it. */
    long sentBehind(long psn) {
        return sentBehind[slot(psn)];
    }

    /** Of a packet that was retransmitted: since when it was missing before; {@code Long.MIN_VALUE} when nothing has shown it. */
    long missedBeforeAt(long psn) {
        return missedBeforeAt[slot(psn)];
    }

    /** Of a packet that was retransmitted: when. */
    long repeatedAt(long psn) {
        return repeatedAt[slot(psn)];
    }

    /** Whether the packet need not be retransmitted. */
    boolean skips(long psn) {
        return psn >= allUpTo && !lost.has(psn);
    }

    // ---- what arrives

    /**
     * The responder has everything before that PSN.
     *
     * @param transmission of the last one which the responder answers; if it answers something else, the time says nothing
     */
    void taken(long to, int transmission, long nowNanos) {
        taken(to, transmission, true, nowNanos);
    }

    /**
     * The same, shown by an answer. Unlike an acknowledgement it does not cover what the responder has kept behind a gap: when a
     * retransmitted READ is answered, later READs may be there, and answered next. So nothing is missing for it.
     */
    void executed(long to, int transmission, long nowNanos) {
        taken(to, transmission, false, nowNanos);
    }

    private void taken(long to, int transmission, boolean isCumulative, long nowNanos) {
        long from = Math.max(takenUpTo, overUpTo);
        if (to <= from) {
            return;
        }
        if (from > youngestPsn && from >= repeatedUpTo) {
            arrives(to - 1, transmission, isCumulative, nowNanos); // in order, as ever
        } else {
            for (long psn = from; psn < to; psn++) {
                if (!arrived.has(psn)) {
                    arrives(psn, psn == to - 1 ? transmission : UNTOLD, isCumulative, nowNanos);
                }
            }
            lost.clear(from, to);
        }
        takenUpTo = to;
        assert invariants();
    }

    /**
     * The responder has told what it has behind the first one that it does not have.
     *
     * @param end behind the last one that was ever sent
     * @return how many are newly known to have arrived
     */
    int told(long expected, long end, NativeMemory kept, long at, int keptBytes, long nowNanos) {
        allUpTo = Long.MIN_VALUE;
        int news = 0;
        for (int i = 0; i < keptBytes * Byte.SIZE; i++) {
            long psn = expected + 1 + i;
            boolean isKept = (kept.getByte(at + i / Byte.SIZE) & 1 << i % Byte.SIZE) != 0;
            if (isKept && psn >= takenUpTo && psn < end && !arrived.has(psn)) {
                arrived.add(psn);
                lost.remove(psn);
                arrives(psn, UNTOLD, true, nowNanos);
                news++;
            }
        }
        assert invariants();
        return news;
    }

    private void arrives(long psn, int transmission, boolean isCumulative, long nowNanos) {
        long lastAt = lastAt(psn);
        if (lastAt == UNKNOWN) {
            return;
        }
        boolean isRepeated = repeated.has(psn);
        boolean isTold = transmission >= Bth.FIRST_TRANSMISSION;
        boolean isFirst = !isRepeated
                || (isTold ? transmission == Bth.FIRST_TRANSMISSION : congestion.isTooSoonAlone(nowNanos - lastAt));
        if (isFirst) {
            wasLate(psn, nowNanos);
        }
        if (isFirst && isRepeated) {
            sample = isTold ? nowNanos - sentAt[slot(psn)] : sample;
            isSampleSure |= isTold;
            return;
        }
        boolean isBetween = isTold && isRepeated && transmission != transmissions[slot(psn)];
        // a packet that was probed: perhaps its first transmission has arrived
        boolean isUnclear = isRepeated && !isTold && !suspected.has(psn);
        if (isBetween || isUnclear || isBeforeYoungest(lastAt, psn)) {
            return;
        }
        if (isCumulative || !isRepeated) {
            youngestAt = lastAt;
            youngestPsn = psn;
        }
        boolean isDated = transmission == UNTOLD ? !isRepeated : isTold;
        sample = isDated ? nowNanos - lastAt : sample;
        isSampleSure = isDated ? isTold : isSampleSure;
    }

    /** When it was sent last. */
    private long lastAt(long psn) {
        long firstAt = sentAt[slot(psn)];
        return firstAt != UNKNOWN && repeated.has(psn) ? repeatedAt[slot(psn)] : firstAt;
    }

    private boolean isBeforeYoungest(long sentAtNanos, long psn) {
        return sentAtNanos < youngestAt || sentAtNanos == youngestAt && psn < youngestPsn;
    }

    /** The responder has told that another one of these has come. */
    void cameAgain(long psn, long nowNanos) {
        if (suspected.has(psn)) {
            wasLate(psn, nowNanos);
        }
    }

    /** It has come, and not because it was retransmitted. */
    private void wasLate(long psn, long nowNanos) {
        if (missedAt.length == 0) {
            return;
        }
        long since = repeated.has(psn) ? missedBeforeAt[slot(psn)] : missedAt[slot(psn)];
        if (since != UNKNOWN) {
            window.late(nowNanos - since, nowNanos);
        }
        if (suspected.has(psn)) {
            suspected.remove(psn);
            congestion.notLost(1);
        }
    }

    /** The round trip of the youngest packet that has arrived since this was asked. */
    long sample() {
        long last = sample;
        sample = CongestionControl.NO_SAMPLE;
        return last;
    }

    /**
     * Whether the last one comes from an answer to that very transmission. Where an earlier answer was lost, a later one tells of
     * packets that arrived long before it: the shortest of a round may yet be right, but a timeout would grow by it.
     */
    boolean isSampleSure() {
        return isSampleSure;
    }

    // ---- what is lost

    /**
     * Finds what is lost by now; it is no longer skipped.
     *
     * @param end behind the last one that was ever sent
     * @param smoothedRttNanos 0 when there is none
     * @return whether there is anything
     */
    boolean find(long end, long smoothedRttNanos, long nowNanos) {
        dueNanos = NEVER;
        if (arrived.count() == 0 && overUpTo >= repeatedUpTo) {
            return false; // as ever: nothing is out of order
        }
        keepTimes();
        lateNanos = window.nanos(smoothedRttNanos, nowNanos);
        boolean isSure = lateNanos == 0 && arrived.count() >= ReorderWindow.OVERTAKING;
        long patience = lateNanos == 0 ? congestion.shortestRttNanos() / 4 : lateNanos;
        int found = 0;
        int news = 0;
        for (long psn = Math.max(overUpTo, takenUpTo); psn < end; psn++) {
            long lastAt = arrived.has(psn) || lost.has(psn) ? UNKNOWN : lastAt(psn);
            if (lastAt == UNKNOWN) {
                continue; // or an answer, which is another matter
            }
            if (!isBeforeYoungest(lastAt, psn)) {
                if (repeated.has(psn)) {
                    continue;
                }
                break; // what follows was sent later still
            }
            int slot = slot(psn);
            missedAt[slot] = missedAt[slot] == UNKNOWN ? nowNanos : missedAt[slot];
            if (isSure || nowNanos - missedAt[slot] >= patience) {
                found++;
                lost.add(psn);
                if (!repeated.has(psn)) {
                    news++;
                    suspected.add(psn);
                }
            } else {
                dueNanos = Math.min(dueNanos, missedAt[slot] + patience);
            }
        }
        if (found > 0) {
            allUpTo = Long.MIN_VALUE;
            congestion.lost(news, nowNanos);
        }
        assert invariants();
        return found > 0;
    }

    /** How much later than others packets are waited for, as of the last look. */
    long lateNanos() {
        return lateNanos;
    }

    /** When something will be lost that has not arrived until then; {@code Long.MAX_VALUE} for never. */
    long dueNanos() {
        return dueNanos;
    }

    /** The oldest is retransmitted, though nothing says that it is lost: nothing says anything. */
    void probe(long psn) {
        lost.add(psn);
    }

    /** Whether nothing has arrived behind a gap, and nothing unacknowledged is lost or was retransmitted. */
    boolean isInOrder() {
        return arrived.count() == 0 && lost.count() == 0 && overUpTo >= repeatedUpTo;
    }

    /** Packets that are unacknowledged and yet not in flight. */
    int arrived() {
        return arrived.count();
    }

    /** Everything before that PSN is acknowledged. */
    void over(long unacked) {
        long from = Math.max(overUpTo, unacked - SLOTS);
        arrived.clear(from, unacked);
        lost.clear(from, unacked);
        overUpTo = unacked;
        assert invariants();
    }

    /** All of it is retransmitted, whatever was known. */
    void forget(long end) {
        arrived.clear();
        lost.clear();
        takenUpTo = Long.MIN_VALUE;
        allUpTo = end;
        dueNanos = NEVER;
        assert invariants();
    }

    /** A packet arrived or is lost, but for the one that is probed. What was retransmitted or is suspected has its times. */
    private boolean invariants() {
        boolean hasTimes = missedAt.length == SLOTS;
        boolean isYoungestKnown = youngestPsn != Long.MIN_VALUE;
        return arrived.count() + lost.count() <= SLOTS + 1
                && (hasTimes || repeated.count() + suspected.count() == 0)
                && isYoungestKnown == (youngestAt != Long.MIN_VALUE)
                && (repeated.count() == 0 || repeatedUpTo != Long.MIN_VALUE);
    }
}
