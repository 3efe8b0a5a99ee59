package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class IntervalTest {
    @Test
    void equalRatiosHaveNoWidth() {
        Interval interval = Interval.of(new double[] {2, 2, 2, 2, 2, 2, 2});

        assertThat(interval.low()).isCloseTo(2, within(1e-9));
        assertThat(interval.high()).isCloseTo(2, within(1e-9));
        assertThat(interval.isBeyond(1.99)).isTrue();
        assertThat(interval.isBeyond(2.01)).isFalse();
    }

    @Test
    void aKnownExample() {
        // logarithms 0, 1, 2: mean 1, deviation 1, t of two degrees 4.303
        Interval interval = Interval.of(new double[] {1, Math.E, Math.E * Math.E});

        assertThat(Math.log(interval.middle())).isCloseTo(1, within(1e-9));
        assertThat(Math.log(interval.high())).isCloseTo(1 + 4.303 / Math.sqrt(3), within(1e-9));
        assertThat(Math.log(interval.low())).isCloseTo(1 - 4.303 / Math.sqrt(3), within(1e-9));
    }

    @Test
    void ninetyFiveOfAHundredHoldTheTruth() {
        Random random = new Random(6);
        int hold = 0;
        for (int run = 0; run < 2_000; run++) {
            double[] ratios = random.doubles(7)
                    .map(any -> Math.exp(0.2 * random.nextGaussian()))
                    .toArray();
            Interval interval = Interval.of(ratios);
            hold += interval.low() <= 1 && interval.high() >= 1 ? 1 : 0;
        }

        assertThat(hold / 2_000.0).isBetween(0.93, 0.97);
    }

    @Test
    void onePairIsNone() {
        assertThatThrownBy(() -> Interval.of(new double[] {1})).hasMessageContaining("1 pairs");
    }
}
