package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RttEstimatorTest {
    private static final long MS = 1_000_000;

    private final RttEstimator rtt = new RttEstimator(100 * MS, 2 * MS, 2_000 * MS);

    @Test
    void untilTheFirstSampleTheTimeoutIsTheInitialOne() {
        assertThat(rtt.timeoutNanos()).isEqualTo(100 * MS);
        assertThat(rtt.smoothedNanos()).isZero();
    }

    @Test
    void theFirstSampleCountsWhole() {
        rtt.sample(20 * MS);

        assertThat(rtt.smoothedNanos()).isEqualTo(20 * MS);
        assertThat(rtt.timeoutNanos()).isEqualTo(20 * MS + 4 * 10 * MS);
    }

    @Test
    void steadySamplesBringTheTimeoutCloseToTheRoundTrip() {
        for (int i = 0; i < 100; i++) {
            rtt.sample(20 * MS);
        }

        assertThat(rtt.timeoutNanos()).isBetween(20 * MS, 21 * MS);
    }

    @Test
    void anOutlierMakesTheTimeoutLonger() {
        for (int i = 0; i < 100; i++) {
            rtt.sample(20 * MS);
        }

        rtt.sample(60 * MS);

        assertThat(rtt.smoothedNanos()).isBetween(24 * MS, 26 * MS);
        assertThat(rtt.timeoutNanos()).isGreaterThan(60 * MS);
    }

    @Test
    void shortRoundTripsDoNotBringItBelowTheFloor() {
        for (int i = 0; i < 100; i++) {
            rtt.sample(10_000);
        }

        assertThat(rtt.timeoutNanos()).isEqualTo(2 * MS);
    }

    @Test
    void anAcknowledgementIsOverdueSoonerThanThat() {
        assertThat(rtt.overdueNanos()).as("before any sample").isEqualTo(100 * MS);
        for (int i = 0; i < 100; i++) {
            rtt.sample(10_000);
        }
        rtt.backOff();
        assertThat(rtt.overdueNanos()).isEqualTo(MS + 10_000);
    }

    @Test
    void eachTimeoutDoublesItUpToTheCeiling() {
        rtt.sample(100 * MS);
        long first = rtt.timeoutNanos();

        rtt.backOff();
        assertThat(rtt.timeoutNanos()).isEqualTo(2 * first);
        for (int i = 0; i < 100; i++) {
            rtt.backOff();
        }

        assertThat(rtt.timeoutNanos()).isEqualTo(2_000 * MS);
        assertThat(rtt.backoffs()).isEqualTo(101);
    }

    @Test
    void aSampleEndsTheBackingOff() {
        rtt.sample(100 * MS);
        rtt.backOff();
        rtt.backOff();

        rtt.sample(100 * MS);

        assertThat(rtt.timeoutNanos()).isLessThan(300 * MS);
        assertThat(rtt.backoffs()).isZero();
    }

    @Test
    void limitsThatDoNotGrowAreRefused() {
        assertThatThrownBy(() -> new RttEstimator(1, 2, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RttEstimator(1, 0, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RttEstimator(4, 1, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allLimitsMayBeEqual() {
        var fixed = new RttEstimator(5 * MS, 5 * MS, 5 * MS);
        fixed.backOff();
        assertThat(fixed.timeoutNanos()).isEqualTo(5 * MS);
    }

    @Test
    void progressLeavesOneDoublingAtMost() {
        rtt.sample(100 * MS);
        long undoubled = rtt.timeoutNanos();

        rtt.backOff();
        rtt.progress();
        assertThat(rtt.timeoutNanos()).isEqualTo(2 * undoubled);
        rtt.backOff();
        rtt.backOff();
        rtt.progress();

        assertThat(rtt.timeoutNanos()).isEqualTo(2 * undoubled);
        assertThat(rtt.backoffs()).isEqualTo(1);
    }

    @Test
    void progressBeforeAnySampleLeavesTwiceTheInitialTimeout() {
        for (int i = 0; i < 5; i++) {
            rtt.backOff();
        }

        rtt.progress();

        assertThat(rtt.timeoutNanos()).isEqualTo(2 * 100 * MS);
    }
}
