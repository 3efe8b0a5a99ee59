package io.urma4j.udma.transport;

/**
 * The retransmission timeout from the smoothed RTT and its variation (RFC 6298, with limits for a local network).
 *
 * <p>A sample is the time from a transmission of a packet to its acknowledgement. A retransmitted packet gives one only if the
 * response names the transmission: otherwise it is unknown which of them the acknowledgement is for (Karn's rule).
 */
final class RttEstimator {
    /** However steady the RTT was, a queue or a scheduler may add this at any time. */
    private static final long GRANULARITY_NANOS = 1_000_000;

    private static final int SMOOTHING_SHIFT = 3; // a sample counts one eighth
    private static final int VARIATION_SHIFT = 2; // and its distance one quarter

    private final long floorNanos;
    private final long ceilingNanos;
    private long smoothedNanos;
    private long variationNanos;
    private long overdueNanos;
    private long timeoutNanos;
    private long undoubledNanos;
    private int backoffs;

    /**
     * Without a sample yet.
     *
     * @param initialNanos the timeout until there is one
     * @param floorNanos minimum timeout
     * @param ceilingNanos maximum timeout, however often it was doubled
     */
    RttEstimator(long initialNanos, long floorNanos, long ceilingNanos) {
        if (floorNanos <= 0 || initialNanos < floorNanos || ceilingNanos < initialNanos) {
            throw new IllegalArgumentException("timeouts must grow: floor " + floorNanos + " ns, initial "
                    + initialNanos + " ns, ceiling " + ceilingNanos + " ns");
        }
        this.floorNanos = floorNanos;
        this.ceilingNanos = ceilingNanos;
        this.overdueNanos = initialNanos;
        this.timeoutNanos = initialNanos;
        this.undoubledNanos = initialNanos;
    }

    /** A transmission was acknowledged after that time; ends the backoff. */
    void sample(long rttNanos) {
        long rtt = Math.max(1, rttNanos);
        if (smoothedNanos == 0) {
            smoothedNanos = rtt;
            variationNanos = rtt / 2;
        } else {
            variationNanos += (Math.abs(smoothedNanos - rtt) - variationNanos) >> VARIATION_SHIFT;
            smoothedNanos += (rtt - smoothedNanos) >> SMOOTHING_SHIFT;
        }
        backoffs = 0;
        overdueNanos = smoothedNanos + Math.max(GRANULARITY_NANOS, 4 * variationNanos);
        undoubledNanos = Math.clamp(overdueNanos, floorNanos, ceilingNanos);
        timeoutNanos = undoubledNanos;
    }

    /** The timeout expired: the next one is twice as long. */
    void backOff() {
        backoffs++;
        timeoutNanos = Math.min(ceilingNanos, 2 * timeoutNanos);
    }

    /**
     * Something was acknowledged, perhaps a retransmission that gives no sample: at most one of the doublings remains.
     * Otherwise a path that loses every other packet would wait longer and longer, since few packets arrive at the first
     * attempt.
     */
    void progress() {
        if (backoffs > 1) {
            backoffs = 1;
            timeoutNanos = Math.min(ceilingNanos, 2 * undoubledNanos);
        }
    }

    /** The current timeout. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** When an acknowledgement is later than usual: the timeout without a minimum, and without doublings. */
    long overdueNanos() {
        return overdueNanos;
    }

    /** The smoothed RTT; 0 before the first sample. */
    long smoothedNanos() {
        return smoothedNanos;
    }

    /** How many doublings are in the timeout. */
    int backoffs() {
        return backoffs;
    }

    @Override
    public String toString() {
        return String.format(
                "round trip %.3f ms ± %.3f ms, timeout %.3f ms after %d doublings",
                smoothedNanos / 1e6, variationNanos / 1e6, timeoutNanos / 1e6, backoffs);
    }
}
