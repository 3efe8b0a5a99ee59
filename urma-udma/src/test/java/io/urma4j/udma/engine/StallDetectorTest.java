package io.urma4j.udma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallDetectorTest {
    private static final long MILLI = 1_000_000;

    private final StallDetector stallDetector = new StallDetector();

    private boolean isLateAt(long nanos) {
        stallDetector.look(nanos);
        return stallDetector.isLate();
    }

    @Test
    void whoLooksAllTheTimeIsNeverLate() {
        stallDetector.watched(0);
        for (long now = 0; now < 10 * MILLI; now += StallDetector.LATE_NANOS) {
            assertThat(isLateAt(now)).isFalse();
        }
    }

    @Test
    void whoComesBackIsLateUntilNothingIsLeft() {
        stallDetector.watched(0);

        assertThat(isLateAt(5 * MILLI)).isTrue();
        assertThat(isLateAt(6 * MILLI))
                .as("what came meanwhile may not have been taken all")
                .isTrue();
        stallDetector.foundNothing();
        assertThat(isLateAt(6 * MILLI + 1)).isFalse();
    }

    @Test
    void whoCannotKeepUpIsExcusedForAsLongAsNobodyLooked() {
        stallDetector.watched(0);
        assertThat(isLateAt(5 * MILLI)).isTrue();

        long now = 5 * MILLI;
        while (now < 10 * MILLI) {
            assertThat(isLateAt(now)).isTrue();
            now += MILLI / 2;
        }
        assertThat(isLateAt(now)).isFalse();
    }

    @Test
    void whoHasWaitedForPacketsIsNotLate() {
        stallDetector.watched(0);
        stallDetector.watched(100 * MILLI);

        assertThat(isLateAt(100 * MILLI)).isFalse();
    }
}
