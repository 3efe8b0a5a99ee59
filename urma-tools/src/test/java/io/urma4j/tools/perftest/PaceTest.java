package io.urma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schedule of operations. */
class PaceTest {
    private static final long BEGIN = -7;

    @Test
    void burstsAreDueAtASteadyRate() {
        Pace pace = new Pace(1000, 4, BEGIN);

        assertThat(pace.due(BEGIN)).isEqualTo(4);
        assertThat(pace.due(BEGIN + 4_000_000)).isEqualTo(8);
        assertThat(pace.intendedNanos(9)).isEqualTo(BEGIN + 8_000_000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e300, Double.POSITIVE_INFINITY})
    void atAnyHighRateAllOperationsAreDue(double perSecond) {
        Pace pace = new Pace(perSecond, 4, BEGIN);

        assertThat(pace.due(BEGIN + 1)).isGreaterThanOrEqualTo(Phase.ENDLESS);
        assertThat(pace.intendedNanos(9)).isEqualTo(BEGIN);
    }
}
