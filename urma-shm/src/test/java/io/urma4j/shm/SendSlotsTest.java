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

    @Test
    void aMessageThatMustMakeARecordDoesNotGoTheShortWay() {
        SendSlots signalled = new SendSlots(DEPTH, 2);
        signalled.takeDeferred(64);

        assertThat(signalled.areOpenForMessage()).isFalse();
        assertThat(signalled.isSignalDue()).isTrue();
    }
}
