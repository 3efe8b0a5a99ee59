package io.urma4j.udma.transport;

/**
 * When and where a requester last went back to its oldest packet: one loss makes it go back once. If the missing packet is
 * acknowledged sooner than its retransmission can be, it was delayed and not lost, and the congestion control takes the loss
 * back.
 */
final class LastRewind {
    private static final long NONE = -1;

    private final CongestionControl congestion;

    private long psn = NONE;
    private long atNanos;

    /** Nothing was acknowledged since. */
    private boolean isUnanswered;

    LastRewind(CongestionControl congestion) {
        this.congestion = congestion;
    }

    /** Whether nothing was acknowledged since the requester started over. */
    boolean isUnanswered() {
        return isUnanswered;
    }

    /** The requester goes back to that PSN for a loss. */
    void to(long unacked, long nowNanos) {
        psn = unacked;
        atNanos = nowNanos;
        congestion.lost(1, nowNanos);
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
