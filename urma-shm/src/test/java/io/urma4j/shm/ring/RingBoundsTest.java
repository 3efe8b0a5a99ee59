package io.urma4j.shm.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each check of a slot at its exact limit: what is just inside is taken, what is just outside breaks the ring. */
class RingBoundsTest {
    private static final int SEND = 0x40;
    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;
    private static final int IN_SLOT = RingLayout.SLOT_PAYLOAD_BYTES;
    private static final int CHUNK = RingLayout.CHUNK_BYTES;
    private static final long DATA = RingLayout.DATA_BYTES;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment ring = arena.allocate(RingLayout.BYTES, 4096);
    private final RingReceiver receiver = new RingReceiver(ring);

    @AfterEach
    void free() {
        arena.close();
    }

    private int take(int flags, int chunkBytes, long totalBytes, long dataOffset) {
        RingLayout.fill(ring, 0, 1, 2, chunkBytes, 5, totalBytes, dataOffset);
        RingLayout.commit(ring, 0, SEND, flags);
        return receiver.take();
    }

    private void assertTaken(boolean expected, int found) {
        assertThat(found).isEqualTo(expected ? RingReceiver.TAKEN : RingReceiver.BROKEN);
        if (expected) {
            ring.asSlice(receiver.payloadAt(), receiver.chunkBytes()); // throws when it lies outside
        }
    }

    @ParameterizedTest
    @CsvSource({"0, true", IN_SLOT + ", true", IN_SLOT + 1 + ", false", IN_SLOT + 80 + ", false", "-1, false"})
    void aPayloadInASlotEndsWithTheSlot(int chunkBytes, boolean taken) {
        assertTaken(taken, take(WHOLE, chunkBytes, Math.max(chunkBytes, 0), 0));
    }

    @ParameterizedTest
    @CsvSource({"0, true", IN_SLOT + ", true", IN_SLOT + 1 + ", false"})
    void aShortPayloadEndsWithItsSlot(int bytes, boolean taken) {
        RingLayout.fillShort(ring, 0, 1, 2);
        RingLayout.commitShort(ring, 0, SEND, WHOLE | SlotFlags.SHORT, bytes);

        assertTaken(taken, receiver.take());
    }

    @ParameterizedTest
    @CsvSource({
        "0, " + CHUNK + ", true",
        "0, " + (CHUNK + 1) + ", false",
        (DATA - CHUNK) + ", " + CHUNK + ", true",
        (DATA - CHUNK + 1) + ", " + CHUNK + ", false",
        (DATA - CHUNK + IN_SLOT) + ", " + CHUNK + ", false",
        (DATA - 1) + ", 1, true",
        (DATA - 1) + ", 2, false",
        DATA + ", 1, false",
        DATA + ", 0, true",
        (DATA + 1) + ", 0, false",
        "-1, 1, false",
        Long.MIN_VALUE + ", 1, false",
        Long.MAX_VALUE + ", 1, false"
    })
    void aPayloadInTheDataAreaEndsWithIt(long offset, int chunkBytes, boolean taken) {
        assertTaken(taken, take(WHOLE | SlotFlags.IN_DATA, chunkBytes, chunkBytes, offset));
    }

    @ParameterizedTest
    @CsvSource({
        "8, 8, true",
        "8, 7, false",
        "8, " + Integer.MAX_VALUE + ", true",
        "8, 2147483648, false",
        "0, -1, false"
    })
    void aMessageIsAsLongAsItsChunkAndNoLongerThanAMessageCanBe(int chunkBytes, long totalBytes, boolean taken) {
        assertTaken(taken, take(WHOLE, chunkBytes, totalBytes, 0));
    }

    @ParameterizedTest
    @CsvSource({"0xFFFFFF, true", "0x1000000, false", "-1, false"})
    void aQueueHas24Bits(String source, boolean taken) {
        RingLayout.fillShort(ring, 0, Integer.decode(source), 2);
        RingLayout.commitShort(ring, 0, SEND, WHOLE | SlotFlags.SHORT, 8);

        assertTaken(taken, receiver.take());
    }

    @ParameterizedTest
    @CsvSource({"0, true", "1, false", "2, false", "8, false"})
    void aShortMessageIsWholeAndInItsSlot(int change, boolean taken) {
        int flags = change == 8 ? WHOLE | SlotFlags.IN_DATA : WHOLE & ~change;
        RingLayout.fillShort(ring, 0, 1, 2);
        RingLayout.commitShort(ring, 0, SEND, flags | SlotFlags.SHORT, 8);

        assertTaken(taken && flags == WHOLE, receiver.take());
    }

    @Test
    void aSlotOfAnotherLapIsNotThere() {
        RingLayout.fillShort(ring, 0, 1, 2);
        RingLayout.commitShort(ring, RingLayout.SLOTS, SEND, WHOLE | SlotFlags.SHORT, 8);

        assertThat(receiver.isReady()).isFalse();
        assertThat(receiver.take()).isEqualTo(RingReceiver.NONE);
    }

    @Test
    void aRingOfManyMessagesHoldsAsManyBytesAsItsDataAreaAndNoMore() {
        RingSender sender = new RingSender(ring);
        int half = CHUNK / 2;
        for (int i = 0; i < DATA / half; i++) {
            long at = sender.payloadRoom(half);
            assertThat(at).as("message %d", i).isNotNegative();
            sender.publish(SEND, WHOLE, 1, 2, half, 0, half, at);
        }
        assertThat(sender.payloadRoom(IN_SLOT + 1)).isEqualTo(-1);
        assertThat(sender.payloadRoom(IN_SLOT)).as("in the slot").isNotNegative();

        receiver.take();
        receiver.answer(Answer.TAKEN, 0);
        sender.reap();
        assertThat(sender.payloadRoom(half)).isNotNegative();
        assertThat(sender.payloadRoom(half + 1)).isEqualTo(-1);
    }

    @Test
    void aPayloadThatDoesNotFitBeforeTheEndStartsAtTheBeginning() {
        RingSender sender = new RingSender(ring);
        int chunks = (int) (DATA / CHUNK);
        for (int i = 0; i < chunks - 1; i++) {
            sender.publish(SEND, WHOLE, 1, 2, CHUNK, 0, CHUNK, sender.payloadRoom(CHUNK));
        }
        sender.publish(SEND, WHOLE, 1, 2, 4096, 0, 4096, sender.payloadRoom(4096));
        for (int i = 0; i < chunks - 1; i++) {
            receiver.take();
            receiver.answer(Answer.TAKEN, 0);
            sender.reap();
        }

        assertThat(sender.payloadRoom(CHUNK - 4096)).isEqualTo(RingLayout.data(DATA - CHUNK + 4096));
        assertThat(sender.payloadRoom(CHUNK - 4095)).isEqualTo(RingLayout.data(0));
    }

    @Test
    void answersAreHeldBackUpToTheirLimit() {
        RingSender sender = new RingSender(ring);
        for (int i = 0; i < 17; i++) {
            sender.publishShort(SEND, WHOLE, 1, 2, 0);
        }
        for (int i = 0; i < 16; i++) {
            receiver.take();
            receiver.answerTakenLater();
        }
        assertThat(sender.peekAnswer()).as("sixteen wait").isZero();
        receiver.take();
        receiver.answerTakenLater();
        assertThat(RingLayout.answerOf(sender.peekAnswer()))
                .as("the seventeenth tells of them")
                .isEqualTo(Answer.TAKEN);
    }

    private static boolean isWaiting(RingSender sender) {
        return sender.reaped() < sender.position();
    }

    @Test
    void senderWaitsUntilItHasReapedTheLastAnswer() {
        RingSender sender = new RingSender(ring);
        assertThat(isWaiting(sender)).isFalse();
        sender.publishShort(SEND, WHOLE, 1, 2, 0);
        sender.publishShort(SEND, WHOLE, 1, 2, 0);
        assertThat(isWaiting(sender)).isTrue();

        for (int i = 0; i < 2; i++) {
            assertThat(isWaiting(sender)).as("before answer %d", i).isTrue();
            receiver.take();
            receiver.answer(Answer.TAKEN, 0);
            sender.reap();
        }

        assertThat(isWaiting(sender)).isFalse();
    }

    @Test
    void answersThatWereHeldBackSayNothingOfTheNextSlot() {
        RingSender sender = new RingSender(ring);
        sender.publishShort(SEND, WHOLE, 1, 2, 0);
        receiver.take();
        receiver.answerTakenLater();
        receiver.tellHeld();
        assertThat(RingLayout.answerOf(sender.peekAnswer())).isEqualTo(Answer.TAKEN);
        sender.reap();

        sender.publishShort(SEND, WHOLE, 1, 2, 0);

        assertThat(sender.peekAnswer()).as("the receiver has not seen it").isZero();
    }
}
