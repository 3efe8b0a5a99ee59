package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SpliceTrialTest {
    private final SpliceTrial trial = new SpliceTrial();

    /** One trial, in which the two ways take that long; returns how many datagrams passed before it. */
    private int run(LongSupplier splicedNanos, LongSupplier gatheredNanos) {
        int pause = 0;
        for (; !trial.isMeasuring(); pause++) {
            trial.passed(1);
        }
        boolean used = trial.splices();
        measure(used, used ? splicedNanos : gatheredNanos);
        int settling = 0;
        for (; !trial.isMeasuring(); settling++) {
            assertThat(trial.splices()).isNotEqualTo(used);
            trial.passed(1);
        }
        assertThat(settling).isEqualTo(SpliceTrial.SETTLING);
        measure(!used, used ? gatheredNanos : splicedNanos);
        assertThat(trial.isMeasuring()).isFalse();
        return pause;
    }

    private void measure(boolean splices, LongSupplier nanos) {
        for (int i = 0; i < SpliceTrial.SAMPLES; i++) {
            assertThat(trial.isMeasuring()).isTrue();
            assertThat(trial.splices()).isEqualTo(splices);
            trial.took(nanos.getAsLong());
        }
    }

    @Test
    void theFirstLongDatagramsAreSpliced() {
        for (int i = 0; i < SpliceTrial.FIRST_PAUSE; i++) {
            assertThat(trial.isMeasuring()).isFalse();
            assertThat(trial.splices()).isTrue();
            trial.passed(1);
        }
        assertThat(trial.isMeasuring()).isTrue();
    }

    @Test
    void theShorterWayIsTakenUntilTheNextTrial() {
        run(() -> 14_000, () -> 8_000);

        assertThat(trial.splices()).isFalse();
        assertThat(trial).hasToString("gathers, 512 datagrams before the next trial");
        trial.passed(SpliceTrial.PAUSE - 1);
        assertThat(trial.isMeasuring()).isFalse();
        trial.passed(20); // many at once
        assertThat(trial.isMeasuring()).isTrue();

        run(() -> 10_000, () -> 33_000);

        assertThat(trial.splices()).isTrue();
    }

    /** A thread without a CPU for a while measures milliseconds. */
    @Test
    void preemptionDoesNotDecide() {
        long[] calls = new long[2];
        run(() -> calls[0]++ % 3 != 0 ? 14_000 : 9_000_000, () -> calls[1]++ % 3 != 0 ? 8_000 : 40_000_000);

        assertThat(trial.splices()).isFalse();
    }

    /** Now and then a copy meets pages that the receiver has not read: as fast as a splice, and the exception. */
    @Test
    void someFastSamplesDoNotDecide() {
        long[] calls = new long[1];
        run(() -> 10_000, () -> calls[0]++ % 3 == 0 ? 6_000 : 40_000);

        assertThat(trial.splices()).isTrue();
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

    @Test
    void trialsBecomeRareWhileTheyChangeNothing() {
        assertThat(run(() -> 10_000, () -> 40_000)).isEqualTo(SpliceTrial.FIRST_PAUSE);
        for (int pause = 2 * SpliceTrial.PAUSE; pause < SpliceTrial.MAX_PAUSE; pause *= 2) {
            assertThat(run(() -> 10_000, () -> 40_000)).isEqualTo(pause);
        }
        assertThat(run(() -> 10_000, () -> 40_000)).isEqualTo(SpliceTrial.MAX_PAUSE);
        assertThat(run(() -> 50_000, () -> 40_000)).isEqualTo(SpliceTrial.MAX_PAUSE);

        assertThat(trial.splices()).isFalse();
        assertThat(run(() -> 50_000, () -> 40_000)).isEqualTo(SpliceTrial.PAUSE);
    }
}
