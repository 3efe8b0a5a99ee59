package io.urma4j.udma.transport;

/**
 * The PSNs of a requester.
 *
 * <pre>
 *   unacked              next                  end
 *      │ in flight          │ to be retransmitted │ never sent
 * </pre>
 *
 * <p>Normally {@code next} and {@code end} are the same.
 */
final class PsnWindow {
    private static final long NONE = -1;

    private long unacked;
    private long next;
    private long end;

    /** Of a RESYNC that the responder has not acknowledged; nothing else is sent before. */
    private long resyncPsn = NONE;

    PsnWindow(long firstPsn) {
        unacked = firstPsn;
        next = firstPsn;
        end = firstPsn;
    }

    /** The oldest that is not acknowledged. */
    long unacked() {
        return unacked;
    }

    /** The one to send next. */
    long next() {
        return next;
    }

    /** Behind the last one that was ever sent. */
    long end() {
        return end;
    }

    long inFlight() {
        return next - unacked;
    }

    boolean isAnyUnacked() {
        return unacked < end;
    }

    /** Whether the next packet was never sent. */
    boolean isNextNew() {
        return next == end;
    }

    /** Everything before that PSN is sent, or need not be. */
    void sentTo(long psn) {
        assert psn > next : this;
        next = psn;
        end = Math.max(end, psn);
        assert invariants() : this;
    }

    void acknowledge(long psn) {
        assert psn >= unacked && psn <= end : this;
        unacked = psn;
        next = Math.max(next, psn);
        assert unacked <= next : this;
    }

    /** Everything that is not acknowledged is to be retransmitted. */
    void rewind() {
        next = unacked;
    }

    // ---- RESYNC

    boolean isResyncing() {
        return resyncPsn != NONE;
    }

    long resyncPsn() {
        return resyncPsn;
    }

    /** Whether the RESYNC is in flight. */
    boolean isResyncSent() {
        return next > resyncPsn;
    }

    void resyncSent() {
        next = resyncPsn + 1;
        end = next;
    }

    /** Everything before that PSN is acknowledged, perhaps the RESYNC, too. Nothing was sent since. */
    void acknowledgeResync(long to) {
        if (resyncPsn != NONE && to > resyncPsn) {
            acknowledge(to);
            resyncPsn = NONE;
        }
    }

    /**
     * Starts anew, after everything has ended. An urma4j peer goes on behind all PSNs that were ever used, so that a delayed
     * packet, or one that it keeps, is never taken for a new one. The responder of another peer is where it was not ready,
     * and takes the same PSNs again.
     */
    void restart(boolean peerIsOurs) {
        if (peerIsOurs && unacked < end) {
            resyncPsn = resyncPsn == NONE ? end : resyncPsn; // one that was not acknowledged: the same again
            unacked = resyncPsn;
        } else {
            end = unacked;
        }
        next = unacked;
        assert invariants() : this;
    }

    boolean invariants() {
        return unacked <= next && next <= end && (resyncPsn == NONE || unacked <= resyncPsn && end <= resyncPsn + 1);
    }

    @Override
    public String toString() {
        return "unacknowledged " + unacked + ", next " + next + ", end " + end;
    }
}
