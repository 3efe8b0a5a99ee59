package io.urma4j.udma.transport;

/**
 * The retransmission timer of a requester: the timeout, the number of retries without progress, and when the peer counts as
 * silent. The timeout follows the measured RTT, doubles with each failed try (towards urma4j peers only after 16 timeouts in a
 * row), and never exceeds the configured limit.
 *
 * <p>Towards urma4j peers a probe precedes the first timeout, once an acknowledgement is overdue (as in RFC 8985). The timeout
 * has a minimum, since a stalled peer has lost nothing. A probe that was sent for nothing costs one packet.
 */
final class RetryTimer {
    private static final long NEVER = Long.MAX_VALUE;

    /** A scheduler may stall the peer for this time, and nothing was lost. */
    private static final long SHORTEST_NANOS = 4_000_000;

    /** Before the first RTT sample. */
    private static final long FIRST_NANOS = 200_000_000;

    /**
     * Towards urma4j peers this many timeouts in a row are equal. One packet is in flight then, and responses name the
     * transmission, so that an RTT that has grown is detected without a longer wait. On a path that loses half of all
     * packets each way, three of four attempts fail, and a wait that doubled with each would grow without limit.
     */
    private static final int TRIES_UNTIL_BACKOFF = 16;

    private final long longestNanos;
    private final int retries;
    private final int triesUntilBackoff;
    private final boolean probes;
    private final RttEstimator roundTrip;

    private long dueNanos = NEVER;
    private long probeDueNanos = NEVER;
    private long silentSinceNanos;
    private long lateNanos;
    private long sampledAtNanos = Long.MIN_VALUE;
    private int vain;

    /** Since when nothing has been acknowledged: the receiver was not ready then, or nothing was awaited. */
    private long progressedNanos;

    RetryTimer(ConnectionConfig config, long nowNanos) {
        this.progressedNanos = nowNanos;
        this.longestNanos = config.timeoutNanos();
        this.retries = config.retries();
        this.triesUntilBackoff = config.selective() ? TRIES_UNTIL_BACKOFF : 0;
        this.probes = config.selective() && longestNanos > 0;
        long ceiling = longestNanos == 0 ? FIRST_NANOS : longestNanos;
        this.roundTrip = new RttEstimator(Math.min(FIRST_NANOS, ceiling), Math.min(SHORTEST_NANOS, ceiling), ceiling);
    }

    /** The smoothed RTT; 0 before the first sample. */
    long smoothedNanos() {
        return roundTrip.smoothedNanos();
    }

    /** How long an answer may take before it counts as lost, without what packets are allowed to be late. */
    long timeoutNanos() {
        return roundTrip.timeoutNanos();
    }

    /** Whether nothing was retransmitted since the last acknowledgement. */
    boolean isFirst() {
        return vain == 0;
    }

    /** A transmission was acknowledged after that time. */
    void sample(long rttNanos) {
        roundTrip.sample(rttNanos);
    }

    /** The same of one packet of many: one per RTT counts. */
    void sampleOfMany(long rttNanos, long nowNanos) {
        if (sampledAtNanos == Long.MIN_VALUE || nowNanos - sampledAtNanos >= roundTrip.smoothedNanos()) {
            sampledAtNanos = nowNanos;
            sample(rttNanos);
        }
    }

    /** Packets may be delayed by that much without being lost. */
    void allow(long nanos) {
        lateNanos = nanos;
    }

    /** A packet is unacknowledged now; the wait begins if none was. */
    void awaits(long nowNanos) {
        if (!isRunning()) {
            restart(nowNanos);
        }
    }

    /** Something was acknowledged; the wait for the rest begins, if there is any. */
    void progressed(boolean isAnyUnacked, long nowNanos) {
        if (isAnyUnacked) {
            restart(nowNanos);
        } else {
            hold(nowNanos);
        }
    }

    private void restart(long nowNanos) {
        vain = 0;
        roundTrip.progress();
        silentSinceNanos = nowNanos;
        progressedNanos = nowNanos;
        again(nowNanos);
    }

    /** Restarts the wait without progress. */
    void again(long nowNanos) {
        dueNanos = longestNanos == 0 ? NEVER : nowNanos + Math.min(longestNanos, roundTrip.timeoutNanos() + lateNanos);
        probeDueNanos = probes && vain == 0 ? nowNanos + roundTrip.overdueNanos() + lateNanos : NEVER;
    }

    /** The peer was heard, and nothing is awaited. */
    void hold(long nowNanos) {
        progressedNanos = nowNanos;
        stop();
    }

    /** Nothing is unacknowledged. */
    void stop() {
        dueNanos = NEVER;
        probeDueNanos = NEVER;
    }

    long progressedNanos() {
        return progressedNanos;
    }

    boolean isRunning() {
        return dueNanos != NEVER;
    }

    boolean isDue(long nowNanos) {
        return nowNanos >= dueNanos;
    }

    boolean isProbeDue(long nowNanos) {
        return nowNanos >= probeDueNanos;
    }

    /** When a probe or a timeout is due. */
    long dueNanos() {
        return Math.min(dueNanos, probeDueNanos);
    }

    /** A probe was sent. The timeout is due as before. */
    void probed() {
        probeDueNanos = NEVER;
    }

    /** It expired, and everything is retransmitted. */
    void expired(long nowNanos) {
        vain++;
        if (vain > triesUntilBackoff) {
            roundTrip.backOff();
        }
        again(nowNanos);
    }

    /**
     * Whether the peer counts as silent. After a long stall of this process the retries are still missing, and it does not.
     */
    boolean isSilent(long nowNanos) {
        return vain >= retries && nowNanos - silentSinceNanos >= longestNanos * (retries + 1L);
    }

    @Override
    public String toString() {
        return roundTrip + ", " + vain + " vain";
    }
}
