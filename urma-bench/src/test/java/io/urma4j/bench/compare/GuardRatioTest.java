package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.urma4j.bench.compare.GuardRatio.Verdict;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuardRatioTest {
    private static final double[] STEADY = {100, 104, 98, 101, 100, 99, 102};
    private static final double[] UNSTEADY = {100, 104, 98, 101, 100, 99, 120};

    /** As many times the other's time, pair by pair. */
    private static GuardRatio of(double multiple, double[] theirs) {
        return GuardRatio.of(
                Arrays.stream(theirs).map(nanos -> multiple * nanos).toArray(), theirs);
    }

    @Test
    void spreadIsOfTheDenominatorsAlone() {
        double[] ours = {200, 900, 200, 200, 200, 200, 200};

        assertThat(GuardRatio.of(ours, STEADY).spread()).isCloseTo(104.0 / 98 - 1, within(1e-9));
        assertThat(GuardRatio.of(ours, STEADY).isSteady()).isTrue();
        assertThat(GuardRatio.of(ours, UNSTEADY).isSteady()).isFalse();
    }

    @Test
    void theBoundItselfIsSteady() {
        assertThat(new GuardRatio(new Interval(1, 1, 1), 1, GuardRatio.MOST_SPREAD).isSteady())
                .isTrue();
    }

    @Test
    void aRatioBeyondItsLimitIsSlower() {
        assertThat(of(2.3, STEADY).verdict(2.2)).isEqualTo(Verdict.SLOWER);
    }

    @Test
    void aRatioWithinItsLimitIsOk() {
        assertThat(of(2.1, STEADY).verdict(2.2)).isEqualTo(Verdict.OK);
    }

    @Test
    void anIntervalThatReachesDownToTheLimitIsOk() {
        double[] ours = {180, 300, 200, 260, 190, 280, 250}; // 2.3 times on average, from 1.9 on

        assertThat(GuardRatio.of(ours, STEADY).interval().middle()).isGreaterThan(2.2);
        assertThat(GuardRatio.of(ours, STEADY).verdict(2.2)).isEqualTo(Verdict.OK);
    }

    @Test
    void unsteadyDenominatorsAreNotJudged() {
        assertThat(of(9, UNSTEADY).verdict(2.2)).isEqualTo(Verdict.UNSTEADY);
        assertThat(of(1, UNSTEADY).verdict(2.2)).isEqualTo(Verdict.UNSTEADY);
    }

    @Test
    void aRowWithoutLimitIsNeverSlower() {
        assertThat(of(1000, STEADY).verdict(Double.POSITIVE_INFINITY)).isEqualTo(Verdict.OK);
    }

    @Test
    void theMedianIgnoresOnePairThatIsFarOff() {
        double[] ours = {200, 208, 196, 202, 5000, 198, 204}; // twice, but for one pair

        assertThat(GuardRatio.of(ours, STEADY).median()).isCloseTo(2, within(1e-9));
    }

    @Test
    void theLimitIsATenthAboveTheMedianOfTheSteadyRuns() {
        List<GuardRatio> runs = List.of(of(2, STEADY), of(9, UNSTEADY), of(3, STEADY), of(1, STEADY), of(9, UNSTEADY));

        assertThat(GuardRatio.newLimit(runs)).isCloseTo(2.2, within(1e-9));
    }

    @Test
    void fewSteadyRunsCountNoMoreThanTheOthers() {
        List<GuardRatio> runs =
                List.of(of(1, STEADY), of(3, UNSTEADY), of(1, STEADY), of(3, UNSTEADY), of(3, UNSTEADY));

        assertThat(GuardRatio.newLimit(runs)).isCloseTo(3.3, within(1e-9));
    }
}
