package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.examples.blockstore.load.BlockModel.Verdict;
import org.junit.jupiter.api.Test;

/** What the load accepts as the answer of a read; the load is worth as much as this. */
class BlockModelTest {
    private final BlockModel model = new BlockModel();

    @Test
    void beforeAnyWriteNothingIsFineAndAnythingElseIsNot() {
        assertThat(model.checkMissing()).isEqualTo(Verdict.FINE);
        assertThat(model.check(0, 0)).isEqualTo(Verdict.UNKNOWN);
        assertThat(model.check(1, 256)).isEqualTo(Verdict.UNKNOWN);
        assertThat(model.nextRevision()).isOne();
    }

    @Test
    void anUnacknowledgedWriteMayBeThereOrNot() {
        model.attempted(1, 300);

        assertThat(model.checkMissing()).isEqualTo(Verdict.FINE);
        assertThat(model.check(1, 300)).isEqualTo(Verdict.FINE);
        assertThat(model.check(1, 301)).isEqualTo(Verdict.UNKNOWN);
        assertThat(model.nextRevision()).isEqualTo(2);
        assertThat(model.mostBytes()).isEqualTo(300);
    }

    @Test
    void anAcknowledgedWriteMustBeThere() {
        model.attempted(1, 300);
        model.acknowledged(1);

        assertThat(model.checkMissing()).isEqualTo(Verdict.LOST);
        assertThat(model.check(1, 300)).isEqualTo(Verdict.FINE);
        assertThat(model.check(0, 0)).isEqualTo(Verdict.LOST);
    }

    @Test
    void anEarlierContentThanTheAcknowledgedOneIsLost() {
        model.attempted(1, 300);
        model.acknowledged(1);
        model.attempted(2, 400);
        model.attempted(3, 500);
        model.acknowledged(3);
        model.attempted(4, 256);

        assertThat(model.check(1, 300)).isEqualTo(Verdict.LOST);
        assertThat(model.check(2, 400)).isEqualTo(Verdict.LOST);
        assertThat(model.check(3, 500)).isEqualTo(Verdict.FINE);
        assertThat(model.check(4, 256)).isEqualTo(Verdict.FINE);
        assertThat(model.check(5, 256)).isEqualTo(Verdict.UNKNOWN);
        assertThat(model.mostBytes()).isEqualTo(500);
    }
}
