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
        assertThat(ring.provider(0)).isEqualTo(44);
        ring.copyTo(0, batch, 2);
        ring.advance(1);

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

        ring.advance(1);

        assertThat(ring.hasRoom()).isTrue();
        assertThat(ring.available()).isEqualTo(3);
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
                ring.copyTo(i, batch, 0);
                if (batch[CompletionRecord.USER_CONTEXT] != expected) {
                    assertThat(batch[CompletionRecord.USER_CONTEXT]).isEqualTo(expected);
                }
                expected++;
            }
            ring.advance(available);
            if (available == 0) {
                Thread.yield();
            }
        }
        producer.join();
    }
}
