package io.urma4j.udma.transport;

/**
 * When a requester has waited long enough: the time until it sends again, how often it did so without any progress, and
 * when the peer counts as silent. The wait follows the measured round trip, doubles with each vain try, and is never
 * longer than what was configured.
 */
final class RetryTimer {
    private static final long NEVER = Long.MAX_VALUE;

    /** A scheduler may keep the peer for so long, and nothing was lost. */
    private static final long SHORTEST_NANOS = 4_000_000;

    /** Until a round trip was measured. */
    private static final long FIRST_NANOS = 200_000_000;

    /**
     * Towards urma4j peers so many timeouts in a row are equally long. One packet is under way then, and answers say which
     * transmission they answer, so that a round trip that has grown is noticed without waiting longer. On a path that loses half of
     * all packets each way three of four attempts are vain, and a wait that doubled with each would grow without limit.
     */
    private static final int TRIES_UNTIL_BACKOFF = 16;

    private final long longestNanos;
    private final int retries;
    private final int triesUntilBackoff;
    private final RttEstimator roundTrip;

    private long dueNanos = NEVER;
    private long silentSinceNanos;
    private long lateNanos;
    private long sampledAtNanos = Long.MIN_VALUE;
    private int vain;

    RetryTimer(ConnectionConfig config) {
        this.longestNanos = config.timeoutNanos();
        this.retries = config.retries();
        this.triesUntilBackoff = config.selective() ? TRIES_UNTIL_BACKOFF : 0;
        long ceiling = longestNanos == 0 ? FIRST_NANOS : longestNanos;
        this.roundTrip = new RttEstimator(Math.min(FIRST_NANOS, ceiling), Math.min(SHORTEST_NANOS, ceiling), ceiling);
    }

    /** The smoothed round trip; 0 while nothing was measured. */
    long smoothedNanos() {
        return roundTrip.smoothedNanos();
    }

    /** How long an answer may take before it counts as lost, without what packets are allowed to be late. */
    long timeoutNanos() {
        return roundTrip.timeoutNanos();
    }

    /** Whether nothing was sent for it since something was answered. */
    boolean isFirst() {
        return vain == 0;
    }

    /** A packet that was sent once was answered after so long. */
    void sample(long rttNanos) {
        roundTrip.sample(rttNanos);
    }

    /** The same of one packet of many: one in a round trip counts. */
    void sampleOfMany(long rttNanos, long nowNanos) {
        if (sampledAtNanos == Long.MIN_VALUE || nowNanos - sampledAtNanos >= roundTrip.smoothedNanos()) {
            sampledAtNanos = nowNanos;
            sample(rttNanos);
        }
    }

    /** Packets may be late by so much, and are not lost. */
    void allow(long nanos) {
        lateNanos = nanos;
    }

    /** Something is unanswered now, and it was not before, or something was answered. */
    void restart(long nowNanos) {
        vain = 0;
        roundTrip.progress();
        silentSinceNanos = nowNanos;
        again(nowNanos);
    }

    /** The wait begins anew; nothing was won by it. */
    void again(long nowNanos) {
        dueNanos = longestNanos == 0 ? NEVER : nowNanos + Math.min(longestNanos, roundTrip.timeoutNanos() + lateNanos);
    }

    /** Nothing is awaited. */
    void stop() {
        dueNanos = NEVER;
    }

    boolean isRunning() {
        return dueNanos != NEVER;
    }

    boolean isDue(long nowNanos) {
        return nowNanos >= dueNanos;
    }

    long dueNanos() {
        return dueNanos;
    }

    /** It was due, and everything is sent again. */
    void expired(long nowNanos) {
        vain++;
        if (vain > triesUntilBackoff) {
            roundTrip.backOff();
        }
        again(nowNanos);
    }

    /** Whether the peer counts as silent. After a long pause of our own the tries are still missing, and it does not. */
    boolean isSilent(long nowNanos) {
        return vain >= retries && nowNanos - silentSinceNanos >= longestNanos * (retries + 1L);
    }

    @Override
    public String toString() {
        return roundTrip + ", " + vain + " vain";
    }
}
