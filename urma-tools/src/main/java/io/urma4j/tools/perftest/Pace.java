package io.urma4j.tools.perftest;

/** The schedule of operations: bursts at a steady rate, independent of earlier delays. */
final class Pace {
    /** More operations than any phase has. */
    private static final long MOST = 1L << Lane.NUMBER_BITS;

    private final double nanosPerBurst;
    private final int burst;
    private final long beginNanos;

    /** @param perSecond operations a second; infinite for no limit */
    Pace(double perSecond, int burst, long beginNanos) {
        this.nanosPerBurst = burst * 1e9 / perSecond;
        this.burst = burst;
        this.beginNanos = beginNanos;
    }

    /** When operation {@code number}, counted from 0, is meant to begin. */
    long intendedNanos(long number) {
        long bursts = number / burst; // complete ones
        return beginNanos + Math.round(bursts * nanosPerBurst);
    }

    /** How many operations are due by now. */
    long due(long nowNanos) {
        long bursts = (long) ((nowNanos - beginNanos) / nanosPerBurst);
        return (Math.min(bursts, MOST / burst) + 1) * burst;
    }
}
