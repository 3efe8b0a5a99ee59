package io.urma4j.tools.ping;

import java.util.Locale;

/** The statistics of the echoes. For one thread. */
final class RoundTrips {
    private static final double NANOS_PER_MILLI = 1e6;

    private int sent;
    private int answered;
    private long minNanos = Long.MAX_VALUE;
    private long maxNanos;
    private double sum;
    private double sumOfSquares;

    void sent() {
        sent++;
    }

    void answered(long nanos) {
        answered++;
        minNanos = Math.min(minNanos, nanos);
        maxNanos = Math.max(maxNanos, nanos);
        sum += nanos;
        sumOfSquares += (double) nanos * nanos;
    }

    int transmitted() {
        return sent;
    }

    int received() {
        return answered;
    }

    /** In percent, rounded down unless everything is lost; 0 when nothing was sent. */
    double lossPercent() {
        return sent == 0 ? 0 : 100.0 * (sent - answered) / sent;
    }

    double minMillis() {
        return answered == 0 ? 0 : minNanos / NANOS_PER_MILLI;
    }

    double avgMillis() {
        return answered == 0 ? 0 : sum / answered / NANOS_PER_MILLI;
    }

    double maxMillis() {
        return maxNanos / NANOS_PER_MILLI;
    }

    /** The standard deviation, which ping calls mdev. */
    double mdevMillis() {
        if (answered == 0) {
            return 0;
        }
        double average = sum / answered;
        return Math.sqrt(Math.max(0, sumOfSquares / answered - average * average)) / NANOS_PER_MILLI;
    }

    /** As ping prints it. */
    String summary(long tookMillis) {
        return String.format(
                Locale.ROOT,
                "%d packets transmitted, %d received, %s%% packet loss, time %dms",
                sent,
                answered,
                percent(),
                tookMillis);
    }

    private String percent() {
        String text = String.format(Locale.ROOT, "%.4f", lossPercent());
        return text.replaceFirst("\\.?0+$", "");
    }

    /** As ping prints it; only when something was answered. */
    String times() {
        return String.format(
                Locale.ROOT,
                "rtt min/avg/max/mdev = %.3f/%.3f/%.3f/%.3f ms",
                minMillis(),
                avgMillis(),
                maxMillis(),
                mdevMillis());
    }
}
