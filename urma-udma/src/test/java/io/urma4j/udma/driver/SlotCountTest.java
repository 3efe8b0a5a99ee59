package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotCountTest {
    /** Else a third request overwrites the user context of one whose record is unpolled (S9.3). */
    @Test
    void recordOfAnEarlierLifeFreesNoSlotOfTheNext() {
        SlotCount slots = new SlotCount(2, position -> false);
        slots.countEach();
        slots.posted(0);
        slots.posted(1);
        slots.recordTaken(1);
        slots.freeTo(2); // flushed, reset
        slots.posted(2);
        slots.recordTaken(2);

        assertThat(slots.freed()).isEqualTo(3);
    }
}
