package io.urma4j.shm.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.CompletionRecord;
import org.junit.jupiter.api.Test;

class OwnedRingTest {
    private static final int DEPTH = 4;

    private final OwnedRing ring = new OwnedRing(DEPTH);
    private final long[] batch = new long[DEPTH * CompletionRecord.WORDS];

    private boolean push(int owner, long userContext) {
        return ring.push(0, userContext, 0, (long) owner << 32 | userContext);
    }

    private long userContext(int record) {
        return batch[record * CompletionRecord.WORDS + CompletionRecord.USER_CONTEXT];
    }

    @Test
    void recordsComeOutAsTheyWentIn() {
        assertThat(ring.isEmpty()).isTrue();
        assertThat(ring.push(11, 22, 33, 44)).isTrue();
        assertThat(ring.isEmpty()).isFalse();
        assertThat(ring.size()).isEqualTo(1);

        assertThat(ring.take(batch, 1)).isTrue();

        assertThat(batch[0]).isEqualTo(11);
        assertThat(batch[CompletionRecord.USER_CONTEXT]).isEqualTo(22);
        assertThat(batch[CompletionRecord.LENGTH]).isEqualTo(33);
        assertThat(batch[CompletionRecord.PROVIDER]).isEqualTo(44);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void fullRingRefusesARecordAndOverwritesNone() {
        for (int i = 0; i < DEPTH; i++) {
            assertThat(push(5, i)).as("record %d", i).isTrue();
        }
        assertThat(push(5, 99)).isFalse();
        assertThat(ring.size()).isEqualTo(DEPTH);

        ring.take(batch, 1);
        assertThat(push(5, 100)).as("one was taken").isTrue();
        assertThat(push(5, 101)).isFalse();

        ring.take(batch, DEPTH);
        for (int i = 0; i < DEPTH - 1; i++) {
            assertThat(userContext(i)).isEqualTo(i + 1);
        }
        assertThat(userContext(DEPTH - 1)).isEqualTo(100);
    }

    @Test
    void recordsOfTwoOwnersAreToldApart() {
        push(5, 1);
        push(5, 2);
        push(5, 3);
        push(6, 4);

        assertThat(ring.take(batch, 2)).isTrue();
        assertThat(userContext(1)).isEqualTo(2);
        assertThat(ring.take(batch, 2)).as("of 5 and of 6").isFalse();
        assertThat(userContext(1)).isEqualTo(4);
    }

    @Test
    void ringHoldsWhatWasNotTaken() {
        assertThat(ring.holds(0)).as("an empty ring, whose words are 0").isFalse();
        push(5, 1);
        push(6, 2);

        assertThat(ring.holds(5)).isTrue();
        assertThat(ring.holds(6)).isTrue();
        assertThat(ring.holds(7)).isFalse();

        ring.take(batch, 1);
        assertThat(ring.holds(5)).as("it was taken").isFalse();
        assertThat(ring.holds(6)).isTrue();
    }

    @Test
    void purgedRecordsDisappearAndTheOthersKeepTheirOrder() {
        push(5, 0);
        ring.take(batch, 1); // the others go over the end of the ring
        push(5, 1);
        push(6, 2);
        push(5, 3);
        push(6, 4);

        ring.purge(5);

        assertThat(ring.size()).isEqualTo(2);
        assertThat(ring.take(batch, 2)).isTrue();
        assertThat(userContext(0)).isEqualTo(2);
        assertThat(userContext(1)).isEqualTo(4);
    }
}
