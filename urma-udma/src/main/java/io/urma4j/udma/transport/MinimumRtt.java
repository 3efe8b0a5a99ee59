package io.urma4j.udma.transport;

/** The minimum RTT of the last ten to twenty seconds: that of the path without a queue. */
final class MinimumRtt {
    private static final long MEMORY_NANOS = 10_000_000_000L;

    private long latest = Long.MAX_VALUE;
    private long latestBefore = Long.MAX_VALUE;
    private long sinceNanos = Long.MIN_VALUE;

    void sample(long rttNanos, long nowNanos) {
        if (sinceNanos == Long.MIN_VALUE || nowNanos - sinceNanos >= MEMORY_NANOS) {
            latestBefore = latest;
            latest = rttNanos;
            sinceNanos = nowNanos;
        }
        latest = Math.min(latest, rttNanos);
    }

    /** 0 if there is none. */
    long nanos() {
        long minimum = Math.min(latest, latestBefore);
        return minimum == Long.MAX_VALUE ? 0 : minimum;
    }

    /** Whether an acknowledgement is too early to be for a transmission: a quarter less than the minimum is certain. */
    boolean isTooSoon(long rttNanos) {
        long minimum = nanos();
        return rttNanos < minimum - minimum / 4;
    }
}
