package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.support.FailureLimiter;
import org.junit.jupiter.api.Test;

/** S7.6: failures are rate-limited. */
class FailureLimiterTest {
    private static final int GUESSER = 7;
    private static final int OTHER = 8;

    private final FailureLimiter<Integer> limiter = new FailureLimiter<>();

    @Test
    void aFewMistakesAreFree() {
        for (int i = 0; i < FailureLimiter.BURST; i++) {
            limiter.failed(GUESSER, 0);
        }
        assertThat(limiter.delayNanos(GUESSER, 0)).isZero();
    }

    @Test
    void eachOneMoreCostsTimeUntilItIsPaid() {
        for (int i = 0; i < FailureLimiter.BURST + 3; i++) {
            limiter.failed(GUESSER, 0);
        }
        long delay = 3 * FailureLimiter.COST_NANOS;
        assertThat(limiter.delayNanos(GUESSER, 0)).isEqualTo(delay);
        assertThat(limiter.delayNanos(OTHER, 0)).isZero();
        assertThat(limiter.delayNanos(GUESSER, delay)).isZero();
    }
}
