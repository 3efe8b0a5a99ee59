package io.urma4j.shm.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageRingTest {
    private static final int SEND = 0x40;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment ring = arena.allocate(RingLayout.BYTES, 4096);
    private final RingSender sender = new RingSender(ring);
    private final RingReceiver receiver = new RingReceiver(ring);

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void emptyRingHasNothing() {
        assertThat(receiver.isReady()).isFalse();
        assertThat(sender.peekAnswer()).isZero();
        assertThat(sender.reaped()).isEqualTo(sender.position());
    }

    @Test
    void whatIsPublishedIsTakenAsItWas() {
        publish(40, 7, 9, 0x1234_5678_9ABC_DEF0L);

        assertThat(receiver.isReady()).isTrue();
        assertThat(receiver.take()).isEqualTo(RingReceiver.TAKEN);
        assertThat(receiver.opcode()).isEqualTo(SEND);
        assertThat(receiver.source()).isEqualTo(7);
        assertThat(receiver.target()).isEqualTo(9);
        assertThat(receiver.chunkBytes()).isEqualTo(40);
        assertThat(receiver.totalBytes()).isEqualTo(40);
        assertThat(receiver.immediate()).isEqualTo(0x1234_5678_9ABC_DEF0L);
        assertThat(receiver.has(SlotFlags.FIRST)).isTrue();
        assertThat(receiver.has(SlotFlags.IN_DATA)).isFalse();
        assertPayload(40);
    }

    @Test
    void aShortMessageIsTakenAsItWas() {
        publish(RingLayout.SLOT_PAYLOAD_BYTES, 7, 0xFF_FFFF, 0);

        assertThat(receiver.take()).isEqualTo(RingReceiver.TAKEN);
        assertThat(receiver.has(SlotFlags.SHORT)).isTrue();
        assertThat(receiver.source()).isEqualTo(7);
        assertThat(receiver.target()).isEqualTo(0xFF_FFFF);
        assertThat(receiver.chunkBytes()).isEqualTo(RingLayout.SLOT_PAYLOAD_BYTES);
        assertThat(receiver.totalBytes()).isEqualTo(RingLayout.SLOT_PAYLOAD_BYTES);
        assertThat(receiver.immediate()).isZero();
        assertPayload(RingLayout.SLOT_PAYLOAD_BYTES);
    }

    @Test
    void aShortMessageThatIsLongerThanItsSlotIsBroken() {
        sender.publishShort(SEND, SlotFlags.FIRST | SlotFlags.LAST, 1, 2, RingLayout.SLOT_PAYLOAD_BYTES + 1);

        assertThat(receiver.take()).isEqualTo(RingReceiver.BROKEN);
    }

    @Test
    void answerReachesTheSenderAndFreesTheSlot() {
        publish(8, 1, 2, 0);
        receiver.take();
        receiver.answer(Answer.NOT_READY, 12_345);

        long word = sender.peekAnswer();

        assertThat(RingLayout.answerOf(word)).isEqualTo(Answer.NOT_READY);
        assertThat(RingLayout.argumentOf(word)).isEqualTo(12_345);
        sender.reap();
        assertThat(sender.peekAnswer()).isZero();
        assertThat(sender.reaped()).isEqualTo(sender.position());
    }

    @Test
    void answersThatAreHeldBackAreToldTogether() {
        takeLater(5);

        assertThat(receiver.isHolding()).isTrue();
        assertThat(sender.peekAnswer()).isZero();

        receiver.tellHeld();

        assertThat(receiver.isHolding()).isFalse();
        assertThat(reapTaken()).isEqualTo(5);
        assertThat(sender.reaped()).isEqualTo(sender.position());
    }

    @Test
    void whatIsHeldBackIsToldBeforeAnyOtherAnswer() {
        takeLater(2);
        publish(8, 1, 2, 0);
        receiver.take();

        receiver.answer(Answer.NOT_READY, 7);

        assertThat(receiver.isHolding()).isFalse();
        assertThat(reapTaken()).isEqualTo(2);
        assertThat(RingLayout.answerOf(sender.peekAnswer())).isEqualTo(Answer.NOT_READY);
    }

    @Test
    void aSenderThatFillsTheRingHearsOfItBeforeTheReceiverHasTakenAll() {
        takeLater(100);

        int told = reapTaken();

        assertThat(told).isGreaterThan(100 / 2);
        receiver.tellHeld();
        assertThat(told + reapTaken()).isEqualTo(100);
    }

    private void takeLater(int slots) {
        for (int i = 0; i < slots; i++) {
            publish(8, 1, 2, 0);
            assertThat(receiver.take()).isEqualTo(RingReceiver.TAKEN);
            receiver.answerTakenLater();
        }
    }

    private int reapTaken() {
        int reaped = 0;
        while (RingLayout.answerOf(sender.peekAnswer()) == Answer.TAKEN) {
            sender.reap();
            reaped++;
        }
        return reaped;
    }

    @Test
    void ringIsFullWhenNoSlotWasAnswered() {
        for (int i = 0; i < RingLayout.SLOTS; i++) {
            assertThat(sender.hasSlot()).isTrue();
            publish(0, 1, 2, i);
        }

        assertThat(sender.hasSlot()).isFalse();

        receiver.take();
        receiver.answer(Answer.TAKEN, 0);
        sender.reap();
        assertThat(sender.hasSlot()).isTrue();
    }

    @Test
    void dataAreaIsFullBeforePayloadsCouldOverlap() {
        int published = 0;
        while (sender.payloadRoom(RingLayout.CHUNK_BYTES) >= 0) {
            publish(RingLayout.CHUNK_BYTES, 1, 2, 0);
            published++;
        }

        assertThat(published).isEqualTo(RingLayout.DATA_BYTES / RingLayout.CHUNK_BYTES);
    }

    @Test
    void payloadsOfAllSizesSurviveManyLaps() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("MessageRingTest seed " + seed);
        Random random = new Random(seed);
        int inRing = 0;
        long sent = 0;
        long taken = 0;
        while (taken < 6L * RingLayout.SLOTS) {
            int length = random.nextInt(4) == 0 ? random.nextInt(RingLayout.CHUNK_BYTES + 1) : random.nextInt(200);
            if (sender.hasSlot() && sender.payloadRoom(length) >= 0 && random.nextBoolean()) {
                publish(length, 3, 4, sent++);
                inRing++;
            } else if (inRing > 0) {
                assertThat(receiver.isReady()).isTrue();
                assertThat(receiver.take()).isEqualTo(RingReceiver.TAKEN);
                assertThat(receiver.immediate()).as("seed %d", seed).isEqualTo(taken++);
                assertPayload(receiver.chunkBytes());
                receiver.answer(Answer.TAKEN, 0);
                assertThat(sender.peekAnswer()).isNotZero();
                sender.reap();
                inRing--;
            }
        }
    }

    @Test
    void answersToSlotsThatWereNotSentAreNotBelieved() {
        receiver.answer(Answer.TAKEN, 0); // a hostile receiver is ahead of the sender

        assertThat(sender.peekAnswer()).isZero();
    }

    @Test
    void hostileSlotsAreNeverReadOutside() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("MessageRingTest seed " + seed);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            publish(random.nextInt(100), 1, 2, i);
            scribbleOverSlot(random, i);
            if (!receiver.isReady()) {
                break; // it scribbled over the lap: nothing arrives any more
            }
            if (receiver.take() == RingReceiver.TAKEN) {
                MemorySegment.copy(ring, receiver.payloadAt(), ring, 0, 0);
                ring.asSlice(receiver.payloadAt(), receiver.chunkBytes()); // throws when outside
            } else {
                refused++;
            }
            receiver.answer(Answer.FAILED, 0);
            sender.reap();
        }
        assertThat(refused).as("seed %d", seed).isPositive();
    }

    @Test
    void sleeperIsWokenOnce() {
        receiver.setAsleep();

        assertThat(sender.takeAsleep()).isTrue();
        assertThat(sender.takeAsleep()).isFalse();
    }

    private void scribbleOverSlot(Random random, int position) {
        long slot = 256 + 8L * RingLayout.SLOTS + (position % RingLayout.SLOTS) * 128L;
        int word = random.nextInt(10); // the queues, or what lies behind the payload
        long at = slot + (word < 2 ? 8 : 88) + 4L * word;
        ring.set(JAVA_INT, at, random.nextBoolean() ? random.nextInt() : random.nextInt(200));
        if (random.nextBoolean()) {
            long commit = ring.get(JAVA_LONG, slot);
            ring.set(JAVA_LONG, slot, commit ^ (random.nextLong() & 0xFFFF_FFFF_0000_0000L));
        }
    }

    private void publish(int length, int source, int target, long immediate) {
        long at = sender.payloadRoom(length);
        for (int i = 0; i < length; i++) {
            ring.set(JAVA_BYTE, at + i, (byte) (i * 31 + length));
        }
        sender.publish(SEND, SlotFlags.FIRST | SlotFlags.LAST, source, target, length, immediate, length, at);
    }

    private void assertPayload(int length) {
        for (int i = 0; i < length; i++) {
            byte found = ring.get(JAVA_BYTE, receiver.payloadAt() + i);
            if (found != (byte) (i * 31 + length)) {
                assertThat(found).as("byte %d of %d", i, length).isEqualTo((byte) (i * 31 + length));
            }
        }
    }
}
