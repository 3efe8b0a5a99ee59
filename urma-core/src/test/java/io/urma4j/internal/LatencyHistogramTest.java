package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private final LatencyHistogram histogram = new LatencyHistogram();

    @Test
    void emptyTellsNothing() {
        assertThat(histogram.count()).isZero();
        assertThat(histogram.minNanos()).isZero();
        assertThat(histogram.percentileNanos(99)).isZero();
        assertThat(histogram.meanNanos()).isZero();
    }

    @Test
    void extremesHaveTheirPlaces() {
        for (long value : new long[] {0, 1, 31, 32, 33, 63, 64, Long.MAX_VALUE, -5}) {
            histogram.record(value);
        }

        assertThat(histogram.count()).isEqualTo(9);
        assertThat(histogram.minNanos()).isZero();
        assertThat(histogram.maxNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(histogram.percentileNanos(100)).isEqualTo(Long.MAX_VALUE);
    }

    /** Against sorting: within a thirty-second, never below. */
    @Test
    void percentilesAreThoseOfTheSortedTimes() {
        Random random = new Random(5);
        long[] values = new long[10_000];
        for (int i = 0; i < values.length; i++) {
            values[i] = (long) Math.exp(random.nextDouble() * 30);
            histogram.record(values[i]);
        }
        Arrays.sort(values);

        for (double percent : new double[] {1, 50, 90, 99, 99.9, 100}) {
            long exact = values[(int) Math.ceil(values.length * percent / 100) - 1];
            assertThat(histogram.percentileNanos(percent))
                    .as("%s %%", percent)
                    .isGreaterThanOrEqualTo(exact)
                    .isCloseTo(exact, Percentage.withPercentage(100.0 / 32));
        }
        assertThat(histogram.meanNanos())
                .isCloseTo(Arrays.stream(values).average().orElseThrow(), Percentage.withPercentage(1e-6));
    }
}
