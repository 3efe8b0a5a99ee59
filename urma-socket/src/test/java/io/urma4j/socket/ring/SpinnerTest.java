package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SpinnerTest {
    private static final long LONG_NANOS = Duration.ofSeconds(20).toNanos();

    private int looks;

    private boolean holdsAtLast() {
        return ++looks == 1000;
    }

    private boolean neverHolds() {
        looks++;
        return false;
    }

    @Test
    void aWaitLooksUntilItsConditionHolds() {
        assertThat(Spinning.of(LONG_NANOS).spinner().await(this::holdsAtLast)).isTrue();
        assertThat(looks).isEqualTo(1000);
    }

    @Test
    void aWaitEndsAtItsLimit() {
        assertThat(Spinning.of(1000).spinner().await(this::neverHolds)).isFalse();
        assertThat(looks).isPositive();
    }

    @Test
    void withoutALimitNothingIsLookedAt() {
        assertThat(Spinning.of(0).spinner().await(this::neverHolds)).isFalse();
        assertThat(looks).isZero();
    }

    @Test
    void anAdaptivePlaceStopsOnceHalfOfItsWaitsWereInVainAndTriesAgain() {
        Spinner spinner = Spinning.adaptive(4).spinner();
        int spun = 0;
        for (int i = 1; i <= 160; i++) {
            looks = 0;
            var _ = spinner.await(this::neverHolds);
            spun += looks > 0 ? 1 : 0;
        }
        assertThat(spun).as("of 160").isBetween(18, 20); // at first nine, and then one of sixteen

        int before = spun;
        for (int i = 1; i <= 160; i++) {
            spun += spinner.await(() -> true) ? 1 : 0;
        }
        assertThat(spun - before).as("the eight that it takes to trust again").isBetween(160 - 8 * 16, 160 - 6 * 16);
    }

    @Test
    void noMoreThreadsSpinThanHalfOfTheProcessors() {
        Spinning policy = Spinning.adaptive(2);
        Spinner first = policy.spinner();
        Spinner second = policy.spinner();

        assertThat(first.await(() -> !second.await(() -> true))).isTrue();
        assertThat(second.await(() -> true)).isTrue();
    }

    @Test
    void itCountsItsWaitsAndTheirTime() {
        Spinner spinner = Spinning.of(100_000).spinner();
        assertThat(spinner.await(() -> true)).isTrue();
        assertThat(spinner.await(this::neverHolds)).isFalse();
        assertThat(spinner.await(this::neverHolds)).isFalse();

        assertThat(spinner.use().spins()).isEqualTo(3);
        assertThat(spinner.use().won()).isOne();
        assertThat(spinner.use().nanos()).isGreaterThanOrEqualTo(200_000);
        assertThat(Spinning.of(0).spinner().use()).isEqualTo(new SpinUse(0, 0, 0));
    }
}
