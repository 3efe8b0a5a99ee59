package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.support.FailureLimiter;
import io.urma4j.spi.support.GuessLimiter;
import org.junit.jupiter.api.Test;

/** S7.6: failures are rate-limited, also where a peer guesses by many processes. */
class GuessLimiterTest {
    private static final long SECOND = 1_000_000_000;

    private final GuessLimiter<Integer> limiter = new GuessLimiter<>();

    /** A parent that forks a child for each ten guesses. */
    @Test
    void childrenTogetherGuessNoFasterThanTheLimitOfAll() {
        long now = 0;
        int guesses = 0;
        for (int child = 0; child < 2_000 && now < 60 * SECOND; child++) {
            for (int i = 0; i < FailureLimiter.BURST; i++) {
                now += limiter.delayNanos(child, false, now);
                limiter.failed(child, now);
                guesses++;
            }
        }

        assertThat(guesses).isLessThan(GuessLimiter.BURST_OF_ALL + 60 * 100 + 10 * FailureLimiter.BURST);
    }

    @Test
    void aCallerThatHoldsSomethingDoesNotWaitForOthersGuesses() {
        for (int child = 0; child < 10_000; child++) {
            limiter.failed(child, 0);
        }

        assertThat(limiter.delayNanos(-1, false, 0)).isPositive();
        assertThat(limiter.delayNanos(-1, true, 0)).isZero();
        limiter.failed(-1, 0);
        assertThat(limiter.delayNanos(-1, true, 0))
                .as("one that guesses itself")
                .isPositive();
    }

    @Test
    void eachCallerWaitsForItsOwnGuesses() {
        for (int i = 0; i < FailureLimiter.BURST + 3; i++) {
            limiter.failed(7, 0);
        }

        assertThat(limiter.delayNanos(7, true, 0)).isEqualTo(3 * FailureLimiter.COST_NANOS);
        assertThat(limiter.delayNanos(8, false, 0)).isZero();
    }
}
