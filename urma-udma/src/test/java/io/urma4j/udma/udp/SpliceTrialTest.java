package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SpliceTrialTest {
    private final SpliceTrial trial = new SpliceTrial();

    /** One trial, in which the two ways take that long. */
    private void run(LongSupplier splicedNanos, LongSupplier gatheredNanos) {
        trial.passed(SpliceTrial.PAUSE);
        int spliced = 0;
        int all = 0;
        for (; trial.isRunning(); all++) {
            boolean isSpliced = trial.splices();
            spliced += isSpliced ? 1 : 0;
            trial.took(isSpliced ? splicedNanos.getAsLong() : gatheredNanos.getAsLong());
        }
        assertThat(all).isEqualTo(2 * SpliceTrial.SAMPLES);
        assertThat(spliced).isEqualTo(SpliceTrial.SAMPLES);
    }

    @Test
    void theFirstLongDatagramsAreSpliced() {
        for (int i = 0; i < SpliceTrial.FIRST_PAUSE; i++) {
            assertThat(trial.isRunning()).isFalse();
            assertThat(trial.splices()).isTrue();
            trial.passed(1);
        }
        assertThat(trial.isRunning()).isTrue();
    }

    @Test
    void theShorterWayIsTakenUntilTheNextTrial() {
        run(() -> 14_000, () -> 8_000);

        assertThat(trial.splices()).isFalse();
        assertThat(trial.toString()).isEqualTo("gathers, 512 datagrams before the next trial");
        trial.passed(SpliceTrial.PAUSE - 1);
        assertThat(trial.isRunning()).isFalse();

        run(() -> 10_000, () -> 33_000);

        assertThat(trial.splices()).isTrue();
    }

    /** A thread without a CPU for a while measures milliseconds. */
    @Test
    void preemptionDoesNotDecide() {
        long[] calls = new long[2];
        run(() -> calls[0]++ == 2 ? 14_000 : 9_000_000, () -> calls[1]++ == 0 ? 8_000 : 4_000_000);

        assertThat(trial.splices()).isFalse();
    }

    @Test
    void aLittleDifferenceChangesNothing() {
        run(() -> 10_000, () -> 9_000);
        assertThat(trial.splices()).isTrue();

        run(() -> 10_000, () -> 8_000);
        assertThat(trial.splices()).isFalse();

        run(() -> 9_000, () -> 10_000);
        assertThat(trial.splices()).isFalse();
    }

    @Test
    void whatOneTrialHasMeasuredIsForgottenInTheNext() {
        run(() -> 1_000, () -> 8_000);
        run(() -> 20_000, () -> 8_000);

        assertThat(trial.splices()).isFalse();
    }
}
