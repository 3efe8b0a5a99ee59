package io.urma4j.shm.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.CompletionRecord;
import org.junit.jupiter.api.Test;

class CompletionRingTest {
    private final CompletionRing ring = new CompletionRing(4);
    private final long[] batch = new long[4 * CompletionRecord.WORDS];

    @Test
    void recordsComeOutAsTheyWentIn() {
        ring.push(11, 22, 33, 44);

        assertThat(ring.isEmpty()).isFalse();
        assertThat(ring.available()).isEqualTo(1);
        assertThat(ring.take(batch, 2, 1)).isTrue();

        assertThat(batch[2 * CompletionRecord.WORDS]).isEqualTo(11);
        assertThat(batch[2 * CompletionRecord.WORDS + CompletionRecord.USER_CONTEXT])
                .isEqualTo(22);
        assertThat(batch[2 * CompletionRecord.WORDS + CompletionRecord.LENGTH]).isEqualTo(33);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void fullRingHasRoomAgainWhenOneWasTaken() {
        for (int i = 0; i < 4; i++) {
            assertThat(ring.hasRoom()).isTrue();
            ring.push(0, i, 0, 0);
        }
        assertThat(ring.hasRoom()).isFalse();

        ring.take(batch, 0, 1);

        assertThat(ring.hasRoom()).isTrue();
        assertThat(ring.available()).isEqualTo(3);
    }

    @Test
    void recordsOfTwoOwnersAreToldApart() {
        ring.push(0, 1, 0, 5L << 32 | 1);
        ring.push(0, 2, 0, 5L << 32 | 2);
        ring.push(0, 3, 0, 6L << 32 | 1);

        assertThat(ring.take(batch, 0, 2)).isTrue();
        ring.push(0, 4, 0, 5L << 32 | 3);
        assertThat(ring.take(batch, 0, 2)).isFalse();
    }

    @Test
    void purgedRecordsDisappearAndTheOthersKeepTheirOrder() {
        ring.push(0, 1, 0, 5L << 32);
        ring.push(0, 2, 0, 6L << 32);
        ring.push(0, 3, 0, 5L << 32);
        ring.push(0, 4, 0, 6L << 32);

        ring.purge(5);

        assertThat(ring.available()).isEqualTo(2);
        ring.take(batch, 0, 2);
        assertThat(batch[CompletionRecord.USER_CONTEXT]).isEqualTo(2);
        assertThat(batch[CompletionRecord.WORDS + CompletionRecord.USER_CONTEXT])
                .isEqualTo(4);
    }

    @Test
    void twoThreadsLoseAndReorderNothing() throws InterruptedException {
        int count = 500_000;
        Thread producer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < count; ) {
                if (ring.hasRoom()) {
                    ring.push(0, i++, 0, 0);
                } else {
                    Thread.yield();
                }
            }
        });
        long expected = 0;
        while (expected < count) {
            int available = ring.available();
            for (int i = 0; i < available; i++) {
                ring.take(batch, 0, 1);
                if (batch[CompletionRecord.USER_CONTEXT] != expected) {
                    assertThat(batch[CompletionRecord.USER_CONTEXT]).isEqualTo(expected);
                }
                expected++;
            }
            if (available == 0) {
                Thread.yield();
            }
        }
        producer.join();
    }

    @Test
    void ringHoldsWhatWasNotTakenAndHasOneOfTheFlags() {
        assertThat(ring.holds(0)).as("an empty ring, whose words are 0").isFalse();
        ring.push(0, 1, 0, 5L << 32);
        ring.push(CompletionRecord.RECEIVE, 2, 0, 0, 0, 0, 0, 6L << 32);

        assertThat(ring.holds(5)).isTrue();
        assertThat(ring.holds(6)).isTrue();
        assertThat(ring.holds(7)).isFalse();
        assertThat(ring.holds(5, CompletionRecord.RECEIVE)).isFalse();
        assertThat(ring.holds(6, CompletionRecord.RECEIVE)).isTrue();
        assertThat(ring.holds(7, CompletionRecord.RECEIVE)).isFalse();

        ring.take(batch, 0, 2);
        assertThat(ring.holds(6)).as("it was taken").isFalse();
    }

    @Test
    void recordOfTheReceiveSideComesOutWithWhatItReceived() {
        ring.push(CompletionRecord.RECEIVE, 1, 2, 3, 4, 5, 6, 7);

        ring.take(batch, 1, 1);

        int at = CompletionRecord.WORDS;
        assertThat(batch[at + CompletionRecord.IMMEDIATE]).isEqualTo(3);
        assertThat(batch[at + CompletionRecord.REMOTE]).isEqualTo(4);
        assertThat(batch[at + CompletionRecord.REMOTE_EID_HIGH]).isEqualTo(5);
        assertThat(batch[at + CompletionRecord.REMOTE_EID_LOW]).isEqualTo(6);
        assertThat(batch[at + CompletionRecord.PROVIDER]).isEqualTo(7);
    }
}
