package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.KeyLife;
import org.junit.jupiter.api.Test;

/** What a send queue keeps of a home. */
class PeerFlowTest {
    private static final int INDEX = 7;
    private static final long USER_VA = 0x7FFF_FFFF_F000L;

    private final PeerFlow flow = new PeerFlow(null); // failed keys need no connection

    private static long name(int index, long life) {
        int key = index << KeyLife.GENERATION_BITS | KeyLife.generation(life);
        return KeyLife.name(key, KeyLife.isLater(life) ? KeyLife.vaBase(life) : USER_VA);
    }

    /** A home that grants and revokes gives an index one life after the other. */
    @Test
    void failedLivesOfAnIndexAreBounded() {
        flow.keyFailed(name(INDEX - 1, 3));
        flow.keyFailed(name(INDEX + 1, 300));

        for (long life = 0; life < 1000; life++) {
            flow.keyFailed(name(INDEX, life));
            assertThat(flow.failedKeys).contains(name(INDEX, life));
            assertThat(flow.failedKeys).hasSizeLessThanOrEqualTo(2 + KeyLife.FIRST);
        }

        assertThat(flow.failedKeys)
                .containsExactlyInAnyOrder(name(INDEX - 1, 3), name(INDEX, 999), name(INDEX + 1, 300));
    }

    /** A forged key of an earlier life evicts no later one. */
    @Test
    void anEarlierLifeThatFailsLeavesTheLater() {
        flow.keyFailed(name(INDEX, 500));
        flow.keyFailed(name(INDEX, 400));

        assertThat(flow.failedKeys).containsExactlyInAnyOrder(name(INDEX, 400), name(INDEX, 500));
    }
}
