package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * What a requester knows of the answers behind one that was lost: which have come before their turn, and which are surely
 * lost, so that they are asked for again, each part of a READ by itself. A peer of ours sends answers in the order of their
 * PSNs, what is asked for again before what comes behind it; so what has not come is lost when younger ones have.
 *
 * <p>What was asked for again and was lost once more is seen as {@link Missing} sees it: something has come that was asked
 * for later.
 */
final class LostAnswers {
    /** So many younger answers may have overtaken one on the way. */
    static final int OVERTAKING = 2;

    private final InFlight inFlight;
    private final Missing missing;
    private final PsnSet come = new PsnSet();

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
    private @Nullable Message message;
    private long from;
    private long to;

    LostAnswers(InFlight inFlight, Missing missing, long firstPsn) {
        this.overUpTo = firstPsn;
        this.inFlight = inFlight;
        this.missing = missing;
    }

    // ---- what comes

    /**
     * An answer has come before its turn.
     *
     * @param isEnd it is the last one of a part: nothing need follow it soon
     */
    void came(long psn, boolean isEnd) {
        come.add(psn);
        sureUpTo = Math.max(sureUpTo, isEnd ? psn : psn - OVERTAKING);
    }

    /** The responder has answered everything before that PSN; so many messages have succeeded there. */
    void acknowledged(long psn, int msn) {
        sureUpTo = Math.max(sureUpTo, psn);
        if (psn > acknowledgedTo) {
            acknowledgedTo = psn;
            acknowledgedMsn = msn;
        }
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

    /** Packets that are where they belong before their turn: requests there, and answers here. */
    int arrived() {
        return missing.arrived() + come();
    }

    /** Everything before that PSN is acknowledged; for {@link Missing} as well. */
    void over(long unacked) {
        missing.over(unacked);
        if (come.count() > 0) {
            come.clear(Math.max(overUpTo, unacked - ConnectionConfig.MAX_WINDOW_PACKETS), unacked);
        }
        overUpTo = unacked;
    }

    /** All of it is asked for again, whatever was known, here and in {@link Missing}. */
    void forget() {
        missing.forget();
        come.clear();
        sureUpTo = Long.MIN_VALUE;
        lookedUpTo = Long.MIN_VALUE;
        lookAgainAt = Long.MAX_VALUE;
        acknowledgedTo = Long.MIN_VALUE;
    }

    // ---- what is lost

    /**
     * Looks for the next part of an answer that is to be asked for again.
     *
     * @param sentUpTo what has this PSN or a later one is sent again anyway
     */
    boolean find(long unacked, long sentUpTo) {
        long until = Math.min(sureUpTo, sentUpTo);
        if (until >= lookAgainAt) {
            lookAgainAt = Long.MAX_VALUE;
            lookedUpTo = unacked;
        }
        long psn = Math.max(lookedUpTo, unacked);
        while (psn < until) {
            Message sent = inFlight.find(psn);
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

    private boolean findIn(Message sent, long start, long end, long until) {
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
        if (!missing.isRepeated(psn)) {
            return true;
        }
        long provenAt = missing.sentBehind(psn) + 1;
        if (until >= provenAt) {
            return true;
        }
        lookAgainAt = Math.min(lookAgainAt, provenAt);
        return false;
    }

    /** Whose answer the part that was found belongs to. */
    Message message() {
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
    void asked(long end) {
        for (long psn = from; psn < to; psn++) {
            missing.repeated(psn, end);
        }
        lookAgainAt = Math.min(lookAgainAt, end + 1);
        lookedUpTo = to;
    }
}
