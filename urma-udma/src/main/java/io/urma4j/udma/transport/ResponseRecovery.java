package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * What a requester knows of the answers behind one that was lost: which have come before their turn, and which are surely
 * lost, so that they are asked for again, each part of a READ by itself. A peer of ours sends answers in the order of their
 * PSNs, what is asked for again before what comes behind it; so what has not come is lost when younger ones have, and it
 * has not in the time that answers are late here ({@link ReorderWindow}).
 *
 * <p>What was asked for again and was lost once more is seen in the same way: something has come that was asked for later.
 */
final class ResponseRecovery {
    /** So many younger answers may have overtaken one on the way. */
    static final int OVERTAKING = 2;

    private final InFlight inFlight;
    private final Scoreboard scoreboard;
    private final CongestionControl congestion;
    private final PsnSet come = new PsnSet();

    /** Were asked for again, once, and nothing has shown that they were only late. */
    private final PsnSet suspected = new PsnSet();

    private final ReorderWindow window = new ReorderWindow();
    private final DelayedProofs proofs = new DelayedProofs();

    private long patienceNanos;

    /** What is before it has come, or is lost. */
    private long sureUpTo = Long.MIN_VALUE;

    /** What is lost before it was asked for again. */
    private long lookedUpTo = Long.MIN_VALUE;

    /** When so much is sure, something that was asked for again is lost once more, or has come. */
    private long lookAgainAt = Long.MAX_VALUE;

    private long overUpTo;

    // the last acknowledgement that could not pass an answer which is missing
    private long acknowledgedTo = Long.MIN_VALUE;
    private int acknowledgedMsn;

    // the part that was found
    private @Nullable WireMessage message;
    private long from;
    private long to;

    ResponseRecovery(InFlight inFlight, Scoreboard scoreboard, CongestionControl congestion, long firstPsn) {
        this.overUpTo = firstPsn;
        this.inFlight = inFlight;
        this.scoreboard = scoreboard;
        this.congestion = congestion;
    }

    // ---- what comes

    /**
     * An answer has come before its turn.
     *
     * @param isEnd it is the last one of a part: nothing need follow it soon
     */
    void came(long psn, boolean isEnd, long nowNanos) {
        comes(psn, nowNanos);
        come.add(psn);
        proofs.add(isEnd ? psn : psn - OVERTAKING, patienceNanos, nowNanos);
    }

    /** An answer has come, in its turn or before. Tells by how much it was late, if it was. */
    void comes(long psn, long nowNanos) {
        if (!scoreboard.isRepeated(psn)) {
            long since = proofs.sinceNanos(psn);
            if (since != Long.MAX_VALUE) {
                window.late(nowNanos - since, nowNanos);
            }
        } else if (congestion.isTooSoonAlone(nowNanos - scoreboard.repeatedAt(psn))) {
            cameAgain(psn, nowNanos);
        }
    }

    /** An answer has come once more. If it was asked for again, once, it had only been late. */
    void cameAgain(long psn, long nowNanos) {
        if (suspected.has(psn)) {
            suspected.remove(psn);
            congestion.notLost(1);
            window.late(nowNanos - scoreboard.missedBeforeAt(psn), nowNanos);
        }
    }

    /** A new packet was sent, which has the PSNs up to {@code next}; or a READ with all of its answers was requested again. */
    void sent(long psn, long next) {
        suspected.clear(psn, next);
    }

    /** The responder has answered everything before that PSN; so many messages have succeeded there. */
    void acknowledged(long psn, int msn, long nowNanos) {
        proofs.add(psn, patienceNanos, nowNanos);
        if (psn > acknowledgedTo) {
            acknowledgedTo = psn;
            acknowledgedMsn = msn;
        }
    }

    /** Whether no answer is early or missing, and no acknowledgement waits for one. */
    boolean isInOrder() {
        return come.count() == 0 && proofs.isEmpty() && acknowledgedTo <= overUpTo;
    }

    boolean hasCome(long psn) {
        return come.has(psn);
    }

    /** Answers that are there before their turn. */
    int come() {
        return come.count();
    }

    long acknowledgedTo() {
        return acknowledgedTo;
    }

    int acknowledgedMsn() {
        return acknowledgedMsn;
    }

    /** Everything before that PSN is acknowledged. */
    void over(long unacked) {
        proofs.over(unacked);
        come.clear(Math.max(overUpTo, unacked - ConnectionConfig.MAX_WINDOW_PACKETS), unacked);
        overUpTo = unacked;
        assert invariants();
    }

    /** All of it is asked for again, whatever was known. */
    void forget() {
        come.clear();
        proofs.clear();
        sureUpTo = Long.MIN_VALUE;
        lookedUpTo = Long.MIN_VALUE;
        lookAgainAt = Long.MAX_VALUE;
        acknowledgedTo = Long.MIN_VALUE;
        assert invariants();
    }

    // ---- what is lost

    /** How long answers are waited for now. */
    long lateNanos() {
        return patienceNanos;
    }

    /** When something will count as lost that has not come until then; {@code Long.MAX_VALUE} for never. */
    long dueNanos() {
        return proofs.dueNanos(patienceNanos);
    }

    /**
     * Looks for the next part of an answer that is to be asked for again.
     *
     * @param sentUpTo what has this PSN or a later one is sent again anyway
     */
    boolean find(long unacked, long sentUpTo, long nowNanos) {
        if (!proofs.isEmpty()) {
            patienceNanos = window.nanos(congestion.shortestRttNanos(), nowNanos);
            sureUpTo = Math.max(sureUpTo, proofs.take(patienceNanos, nowNanos));
        }
        long until = Math.min(sureUpTo, sentUpTo);
        if (until >= lookAgainAt) {
            lookAgainAt = Long.MAX_VALUE;
            lookedUpTo = unacked;
        }
        long psn = Math.max(lookedUpTo, unacked);
        while (psn < until) {
            WireMessage sent = inFlight.find(psn);
            long end = sent == null ? until : Math.min(until, sent.endPsn());
            if (sent != null && sent.isUnanswered() && findIn(sent, psn, end, until)) {
                lookedUpTo = from;
                return true;
            }
            psn = end;
        }
        lookedUpTo = Math.max(lookedUpTo, until);
        return false;
    }

    private boolean findIn(WireMessage sent, long start, long end, long until) {
        long psn = start;
        while (psn < end && !isLost(psn, until)) {
            psn++;
        }
        if (psn == end) {
            return false;
        }
        from = psn;
        while (psn < end && isLost(psn, until)) {
            psn++;
        }
        to = psn;
        message = sent;
        return true;
    }

    private boolean isLost(long psn, long until) {
        if (come.has(psn)) {
            return false;
        }
        if (!scoreboard.isRepeated(psn)) {
            return true;
        }
        long provenAt = scoreboard.sentBehind(psn) + 1;
        if (until >= provenAt) {
            return true;
        }
        lookAgainAt = Math.min(lookAgainAt, provenAt);
        return false;
    }

    /** Whose answer the part that was found belongs to. */
    WireMessage message() {
        return requireNonNull(message);
    }

    /** Where the part that was found begins. */
    long from() {
        return from;
    }

    /** The PSN behind the part that was found. */
    long to() {
        return to;
    }

    /** The part that was found was asked for again; all that was sent before has a PSN below {@code end}. */
    void asked(long end, long nowNanos) {
        for (long psn = from; psn < to; psn++) {
            assert !come.has(psn) : "requests the answer " + psn + ", which has arrived";
            suspect(psn);
            scoreboard.repeatedAnswer(psn, end, nowNanos - patienceNanos, nowNanos);
        }
        lookAgainAt = Math.min(lookAgainAt, end + 1);
        lookedUpTo = to;
        assert invariants();
    }

    /** Of an answer that was asked for more than once, two may come for that reason alone. */
    private void suspect(long psn) {
        if (scoreboard.isRepeated(psn)) {
            suspected.remove(psn);
        } else {
            suspected.add(psn);
        }
    }

    /** What is acknowledged has come; what counts as lost was sent. */
    private boolean invariants() {
        return !come.has(overUpTo - 1) && patienceNanos >= 0 && proofs.isOrdered();
    }
}
