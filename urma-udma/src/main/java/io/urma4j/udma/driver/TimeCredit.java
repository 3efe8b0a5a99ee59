package io.urma4j.udma.driver;

/**
 * A share of one CPU's time for work that others cause. It is a credit: it grows with time up to a limit, and is charged with the
 * time spent. The engine's thread, except {@link #isSpent}.
 */
final class TimeCredit {
    private static final long MAX_NANOS = 10_000_000;

    /** Minimum credit for a wake-up. */
    private static final long MIN_NANOS = 100_000;

    /**
     * Maximum charge for one batch: a longer one was interrupted, or ran through code for the first time, which is not the
     * sender's fault.
     */
    private static final long MAX_COST_NANOS = 1_000_000;

    private final int share;
    private long nanos = MAX_NANOS;
    private long creditedAtNanos;
    private volatile boolean isSpent;

    /** @param share one part in this many of the time */
    TimeCredit(int share) {
        this.share = share;
    }

    /** Whether there is none until {@link #delayNanos} have passed. Any thread. */
    boolean isSpent() {
        return isSpent;
    }

    /** Adds what has accrued until now; true if there is credit for a batch. */
    boolean accrue(long nowNanos) {
        nanos = Math.min(nanos + (nowNanos - creditedAtNanos) / share, MAX_NANOS);
        creditedAtNanos = nowNanos;
        if (isSpent && nanos >= MIN_NANOS) {
            isSpent = false;
        }
        return !isSpent;
    }

    /** A batch took that long. */
    void charge(long costNanos) {
        nanos -= Math.min(costNanos, MAX_COST_NANOS);
        isSpent = nanos <= 0;
    }

    /** The delay until there is credit again; 0 if there is some. */
    long delayNanos() {
        return isSpent ? (MIN_NANOS - nanos) * share : 0;
    }
}
