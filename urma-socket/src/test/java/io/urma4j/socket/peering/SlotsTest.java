package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.ring.RingLayout;
import io.urma4j.socket.ring.RingReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final int WRITER_WORD = 8;
    private static final int DONE = 2;

    private final MemorySegment memory = Arena.ofAuto().allocate(RingLayout.lengthBytes(64), 64);
    private final RingReader ring = new RingReader(memory);
    private final Budget budget = new Budget(1000);
    private final Slots slots = new Slots(3, 300, budget);

    private void endWriter() {
        memory.set(ValueLayout.JAVA_INT, WRITER_WORD, DONE);
    }

    @Test
    void theLowestFreeNumberComesFirst() {
        assertThat(slots.take()).isZero();
        assertThat(slots.take()).isOne();
        slots.free(0);
        assertThat(slots.take()).isZero();
    }

    @Test
    void aRingWhoseWriterLivesIsNotUsedAgain() {
        slots.take();
        slots.retire(0, ring::hasWriter);
        assertThat(slots.take()).isOne();

        endWriter();
        assertThat(slots.take()).isZero();
    }

    @Test
    void onceThePeerHasEndedNoWriterLives() {
        slots.take();
        slots.retire(0, ring::hasWriter);
        assertThat(slots.isUnused()).isFalse();

        slots.endWriters();
        assertThat(slots.isUnused()).isTrue();
    }

    @Test
    void thereAreNoMoreThanTheMemoryHolds() {
        for (int i = 0; i < 3; i++) {
            assertThat(slots.take()).isEqualTo(i);
        }
        assertThat(slots.take()).isEqualTo(Slots.NONE);
    }

    @Test
    void theBudgetIsOfAllArenas() {
        Slots others = new Slots(3, 300, budget);
        slots.take();
        slots.take();
        others.take();
        assertThat(others.take()).isEqualTo(Slots.NONE);

        slots.free(1);
        slots.free(1); // a second time changes nothing
        assertThat(others.take()).isOne();
        assertThat(others.take()).isEqualTo(Slots.NONE);
    }
}
