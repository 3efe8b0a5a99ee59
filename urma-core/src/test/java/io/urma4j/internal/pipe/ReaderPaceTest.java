package io.urma4j.internal.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReaderPaceTest {
    private final ReaderPace pace = new ReaderPace();
    private int spins; // of the last rest

    /**
     * The total length of the rests of {@code runs} runs, each of which brings {@code messagesPerSpin} for its rest.
     */
    private long rests(int runs, double messagesPerSpin) {
        long sum = 0;
        for (int i = 0; i < runs; i++) {
            spins = pace.restAfter(Math.max(1, (int) (spins * messagesPerSpin)));
            sum += spins;
        }
        return sum;
    }

    @Test
    void whoAnswersEachMessageHardlyEverMeetsARest() {
        assertThat(rests(100_000, 0)).isEqualTo(100_000 / ReaderPace.RUNS_BETWEEN_TRIALS * ReaderPace.TRIAL_SPINS);
    }

    @Test
    void restsGrowWhileTheyBringLongRuns() {
        rests(ReaderPace.RUNS_BETWEEN_TRIALS, 0.6);
        assertThat(spins).isEqualTo(ReaderPace.TRIAL_SPINS);
        rests(1, 0.6);
        assertThat(spins).isEqualTo(2 * ReaderPace.TRIAL_SPINS);
        assertThat(rests(100, 0.6)).isGreaterThan(90 * ReaderPace.MAX_SPINS);
        assertThat(pace.restAfter(1_000_000)).isEqualTo(ReaderPace.MAX_SPINS);
    }

    @Test
    void aModestStreamKeepsAShortRest() {
        rests(ReaderPace.RUNS_BETWEEN_TRIALS, 0.25);
        assertThat(rests(100, 0.25)).isEqualTo(100 * ReaderPace.TRIAL_SPINS);
    }

    @Test
    void restsEndWithTheStream() {
        rests(ReaderPace.RUNS_BETWEEN_TRIALS + 10, 0.6);
        assertThat(pace.restAfter(1)).isZero();
        assertThat(rests(ReaderPace.RUNS_BETWEEN_TRIALS - 1, 0)).isZero();
    }
}
