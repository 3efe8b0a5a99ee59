package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When losses that proved to be spurious restore the window. One packet of so small a window counts 1/256. */
class LossHistoryTest {
    private static final double WINDOW = 100;
    private static final double ONE = 1.0 / 256;

    private final LossHistory history = new LossHistory();

    @Test
    void theLastOpenLossThatWasSpuriousRestoresTheWindow() {
        history.lost(1, WINDOW);
        history.reduces(WINDOW, WINDOW, 0);
        history.reduces(WINDOW / 2, WINDOW, 0);
        assertThat(history.notLost(1, WINDOW / 4)).isEqualTo(WINDOW);
        assertThat(history.isAnyOpen()).isFalse();
    }

    @Test
    void aLossThatRemainsKeepsTheWindowReduced() {
        history.lost(2, WINDOW);
        history.reduces(WINDOW, WINDOW, 0);
        assertThat(history.notLost(1, WINDOW / 2)).isZero();
        assertThat(history.isAnyOpen()).isTrue();
        assertThat(history.notLost(1, WINDOW / 2)).isEqualTo(WINDOW);
    }

    @Test
    void lossesThatAreToleratedDoNotKeepItReduced() {
        history.lost(2, WINDOW);
        history.reduces(WINDOW, WINDOW, ONE);
        assertThat(history.notLost(1, WINDOW / 2)).isEqualTo(WINDOW);
        assertThat(history.isAnyOpen()).isTrue();
        assertThat(history.notLost(1, WINDOW)).as("once").isZero();
    }

    @Test
    void lossesOfLongAgoAreFinal() {
        history.lost(1, WINDOW);
        history.reduces(WINDOW, WINDOW, 0);
        history.settle();
        assertThat(history.isAnyOpen()).isFalse();
        assertThat(history.notLost(1, WINDOW / 2)).isZero();
    }
}
