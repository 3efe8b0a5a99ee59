package io.urma4j.bench.compare.end;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Sample;
import org.HdrHistogram.Histogram;

/**
 * What the leader has counted.
 *
 * @param operations how many
 * @param sample their times
 */
public record Tally(long operations, Sample sample) {
    /** Of operations that took {@code nanos} together. */
    public static Tally of(long operations, long nanos) {
        return new Tally(operations, Sample.mean((double) nanos / operations));
    }

    /**
     * Of operations that were timed one by one.
     *
     * @param divisor 2 for the half of a round trip
     */
    public static Tally of(Histogram times, double divisor) {
        Sample sample = Sample.mean(times.getMean() / divisor)
                .with(Metric.P50, times.getValueAtPercentile(50) / divisor)
                .with(Metric.P99, times.getValueAtPercentile(99) / divisor)
                .with(Metric.P999, times.getValueAtPercentile(99.9) / divisor);
        return new Tally(times.getTotalCount(), sample);
    }
}
