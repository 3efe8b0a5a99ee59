package io.urma4j.udma.transport;

/**
 * When and where a requester last went back to its oldest packet: one loss makes it go back once. If the missing packet is
 * acknowledged sooner than its retransmission can be, it was delayed and not lost, and the congestion control takes the loss
 * back.
 */
final class LastRewind {
    private static final long NONE = -1;

    private final CongestionControl congestion;
    private final boolean repeats;

    private long psn = NONE;
    private long atNanos;

    /** Nothing was acknowledged since. */
    private boolean isUnanswered;

    /**
     * For a requester.
     *
     * @param repeats it goes back once more when its retransmission was lost, too: the peer keeps nothing behind the gap
     */
    LastRewind(CongestionControl congestion, boolean repeats) {
        this.congestion = congestion;
        this.repeats = repeats;
    }

    /** Whether the requester goes back to its oldest packet, since something was lost. Counts the loss. */
    boolean goesBack(long unacked, long nowNanos) {
        boolean isLostAgain = repeats && isUnanswered && isAnswered(unacked, nowNanos);
        if (isUnanswered && !isLostAgain) {
            return false;
        }
        psn = unacked;
        atNanos = nowNanos;
        congestion.lost(1, nowNanos);
        if (isLostAgain) {
            congestion.lostAgain();
        }
        return true;
    }

    /** The requester starts over at its oldest packet, for whatever reason. */
    void begin() {
        isUnanswered = true;
    }

    /** Whether what arrives now left the responder before the retransmission reached it. */
    boolean isTooRecent(long nowNanos) {
        return psn != NONE && congestion.isTooSoon(nowNanos - atNanos);
    }

    /** Whether what arrives now left the responder after the retransmission of that PSN, which is still the oldest. */
    boolean isAnswered(long unacked, long nowNanos) {
        return congestion.shortestRttNanos() > 0 && psn == unacked && !congestion.isTooSoon(nowNanos - atNanos);
    }

    /** Something was acknowledged. */
    void progressed(long unacked, long nowNanos) {
        isUnanswered = false;
        if (psn != NONE && unacked > psn) {
            if (congestion.isTooSoon(nowNanos - atNanos)) {
                congestion.notLost(1);
            } else {
                psn = NONE;
            }
        }
    }

    /** The requester starts anew. */
    void clear() {
        isUnanswered = false;
    }

    long psn() {
        return psn;
    }
}
