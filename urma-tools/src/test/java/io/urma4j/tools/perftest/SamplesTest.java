package io.urma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void percentilesAreTheLeastValueThatSoManyDoNotExceed() {
        Samples samples = Samples.of(1000);
        for (int i = 1000; i >= 1; i--) {
            samples.add(i * 1000L);
        }

        Latency latency = samples.summary(8, 1);

        assertThat(latency.iterations()).isEqualTo(1000);
        assertThat(latency.minMicros()).isEqualTo(1);
        assertThat(latency.maxMicros()).isEqualTo(1000);
        assertThat(latency.medianMicros()).isEqualTo(500);
        assertThat(latency.averageMicros()).isEqualTo(500.5);
        assertThat(latency.deviationMicros()).isCloseTo(288.675, within(0.001));
        assertThat(latency.tailMicros()).containsExactly(990.0, 999.0, 1000.0, 1000.0);
    }

    @Test
    void halfOfARoundTripIsHalfOfAllFigures() {
        Samples samples = Samples.of(3);
        samples.add(50);
        samples.add(51);
        samples.add(52);

        Latency latency = samples.summary(8, 2);

        assertThat(latency.minMicros()).isEqualTo(0.025);
        assertThat(latency.medianMicros()).isEqualTo(0.0255);
        assertThat(latency.maxMicros()).isEqualTo(0.026);
    }

    @Test
    void manySamplesGoIntoAHistogramOfThreeDigits() {
        Samples samples = Samples.of(Samples.MOST_EXACT + 1L);
        for (int i = 1; i <= 1000; i++) {
            samples.add(i * 1000L);
        }

        Latency latency = samples.summary(8, 1);

        assertThat(latency.iterations()).isEqualTo(1000);
        assertThat(latency.medianMicros()).isCloseTo(500, within(1.0));
        assertThat(latency.tailMicros().getFirst()).isCloseTo(990, within(1.0));
    }

    @Test
    void noSampleMakesZeroes() {
        assertThat(Samples.of(5).summary(8, 1)).isEqualTo(Latency.none(8));
        assertThat(Samples.histogram().summary(8, 1)).isEqualTo(Latency.none(8));
    }

    @Test
    void bothDirectionsTogetherAreTheSumOfTheirRates() {
        var forth = new Bandwidth(100, 1000, 1_000_000, 5);
        var back = new Bandwidth(100, 1000, 2_000_000, 7);

        Bandwidth both = forth.plus(back);

        assertThat(both.iterations()).isEqualTo(2000);
        assertThat(both.bytesPerSecond()).isCloseTo(forth.bytesPerSecond() + back.bytesPerSecond(), within(1000.0));
        assertThat(both.peakBytesPerSecond()).isEqualTo(12);
    }

    @Test
    void aPaceIsKeptWhateverBecameOfThoseBefore() {
        var pace = new Pace(1e6, 4, 1000); // bursts of four, 4 µs apart

        assertThat(pace.intendedNanos(0)).isEqualTo(1000);
        assertThat(pace.intendedNanos(3)).isEqualTo(1000);
        assertThat(pace.intendedNanos(4)).isEqualTo(5000);
        assertThat(pace.due(1000)).isEqualTo(4);
        assertThat(pace.due(4999)).isEqualTo(4);
        assertThat(pace.due(5000)).isEqualTo(8);
    }
}
