package io.urma4j.tools.perftest;

import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Times of single operations: exact if they are not too many, else in a histogram of three digits. Adding one allocates
 * nothing. For one thread.
 */
final class Samples {
    static final int MOST_EXACT = 4_000_000;

    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final long @Nullable [] exact;
    private final @Nullable Histogram histogram;
    private int count;

    private Samples(long @Nullable [] exact, @Nullable Histogram histogram) {
        this.exact = exact;
        this.histogram = histogram;
    }

    /** For at most {@code most} samples: exact if these fit, else a histogram. */
    static Samples of(long most) {
        return most <= MOST_EXACT ? new Samples(new long[(int) most], null) : histogram();
    }

    /** For any number of samples. */
    static Samples histogram() {
        return new Samples(null, new Histogram(LONGEST_NANOS, 3));
    }

    void add(long nanos) {
        if (exact != null) {
            exact[count++] = nanos;
        } else if (histogram != null) {
            histogram.recordValue(Math.clamp(nanos, 0, LONGEST_NANOS));
        }
    }

    /**
     * The statistics.
     *
     * @param divisor 2 when each is a whole round trip, and half of one is meant
     */
    Latency summary(long sizeBytes, int divisor) {
        return exact != null ? ofExact(exact, sizeBytes, divisor) : ofHistogram(sizeBytes, divisor);
    }

    private Latency ofExact(long[] all, long sizeBytes, int divisor) {
        if (count == 0) {
            return Latency.none(sizeBytes);
        }
        long[] sorted = Arrays.copyOf(all, count);
        Arrays.sort(sorted);
        double sum = 0;
        for (long value : sorted) {
            sum += value;
        }
        double mean = sum / count;
        double squares = 0;
        for (long value : sorted) {
            squares += (value - mean) * (value - mean);
        }
        double scale = 1e3 * divisor;
        List<Double> tail = Latency.TAIL.stream()
                .map(percent -> percentile(sorted, percent) / scale)
                .toList();
        return new Latency(
                sizeBytes,
                count,
                sorted[0] / scale,
                sorted[count - 1] / scale,
                percentile(sorted, 50) / scale,
                mean / scale,
                Math.sqrt(squares / count) / scale,
                tail);
    }

    /** The smallest value that {@code percent} of all samples do not exceed. */
    private static long percentile(long[] sorted, double percent) {
        int rank = (int) Math.ceil(percent * sorted.length / 100 - 1e-6); // 99.9 is no binary fraction
        return sorted[Math.clamp(rank, 1, sorted.length) - 1];
    }

    private Latency ofHistogram(long sizeBytes, int divisor) {
        if (histogram == null || histogram.getTotalCount() == 0) {
            return Latency.none(sizeBytes);
        }
        double scale = 1e3 * divisor;
        Histogram all = histogram;
        List<Double> tail = Latency.TAIL.stream()
                .map(percent -> all.getValueAtPercentile(percent) / scale)
                .toList();
        return new Latency(
                sizeBytes,
                histogram.getTotalCount(),
                histogram.getMinValue() / scale,
                histogram.getMaxValue() / scale,
                histogram.getValueAtPercentile(50) / scale,
                histogram.getMean() / scale,
                histogram.getStdDeviation() / scale,
                tail);
    }
}
