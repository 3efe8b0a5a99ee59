package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendSlotsTest {
    private static final int DEPTH = 4;

    private final SendSlots slots = new SendSlots(DEPTH, 0);

    @Test
    void whoKeepsTheQueueFullFindsEachSlotThatIsFreed() {
        for (int i = 0; i < DEPTH; i++) {
            slots.takeDeferred(64);
        }
        assertThat(slots.areOpenForMessage()).isFalse();

        for (int position = 0; position < 3 * DEPTH; position++) {
            slots.free(position);
            assertThat(slots.areOpenForMessage())
                    .as("after record %d", position)
                    .isTrue();
            slots.takeDeferred(64);
            assertThat(slots.areOpenForMessage())
                    .as("behind record %d", position)
                    .isFalse();
        }
    }

    /** S9.3: a record has 32 bits of a position; records in other JFCs free nothing here. */
    @Test
    void aRecordFreesItsSlotHoweverManyHadNoneHere() {
        for (long i = 0; i <= 1L << 31; i++) {
            slots.take(0);
        }

        slots.free((int) slots.posted() - 2);
        assertThat(slots.freed()).isEqualTo(slots.posted() - 1);
        slots.free((int) slots.posted() - 1);
        assertThat(slots.freed()).isEqualTo(slots.posted());
    }

    @Test
    void aMessageThatMustMakeARecordDoesNotGoTheShortWay() {
        SendSlots signalled = new SendSlots(DEPTH, 2);
        signalled.takeDeferred(64);

        assertThat(signalled.areOpenForMessage()).isFalse();
        assertThat(signalled.isSignalDue()).isTrue();
    }
}
