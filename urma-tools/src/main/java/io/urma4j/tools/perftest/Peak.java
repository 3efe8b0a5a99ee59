package io.urma4j.tools.perftest;

/** The best rate of a run: that of the fastest of some twenty stretches. Allocates nothing while it runs. */
final class Peak {
    private static final int STRETCHES = 20;

    private final long step;
    private long sinceNanos;
    private long since;
    private double bestPerNano;

    /** @param times how many operations are to come; 0 when the peak is not measured */
    Peak(long times, long nowNanos) {
        this.step = times == 0 ? Long.MAX_VALUE : Math.max(1, times / STRETCHES);
        this.sinceNanos = nowNanos;
    }

    /** Notes how many have completed by now; reads the clock at the end of each stretch. */
    void at(long completed) {
        if (completed - since >= step) {
            long now = System.nanoTime();
            bestPerNano = Math.max(bestPerNano, (double) (completed - since) / Math.max(1, now - sinceNanos));
            since = completed;
            sinceNanos = now;
        }
    }

    double perSecond() {
        return bestPerNano * 1e9;
    }
}
