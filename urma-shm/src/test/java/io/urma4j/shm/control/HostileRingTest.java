package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionStatus;
import io.urma4j.Jetty;
import io.urma4j.JettyDescriptor;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.tck.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer that puts into its rings what is well-formed and yet a lie. {@link RingFuzzTest} has what is not even that. */
@Timeout(60)
class HostileRingTest {
    private static final int SEND = Opcode.SEND.value();
    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;
    private static final int CHUNK = RingLayout.CHUNK_BYTES / 4;

    @TempDir
    Path temporary;

    private Path directory;
    private Urma urma;
    private RingVictim victim;
    private HostileRing hostile;

    @BeforeEach
    void meet() throws Exception {
        directory = temporary.resolve("runtime");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        UrmaContext context = urma.device("shm0").openContext();
        victim = new RingVictim(context);
        hostile = new HostileRing(directory, context);
    }

    @AfterEach
    void part() throws Exception {
        hostile.close();
        victim.close();
        urma.close();
    }

    private void publish(int opcode, int flags, int source, int chunkBytes, long totalBytes) {
        int placed = chunkBytes > RingLayout.SLOT_PAYLOAD_BYTES ? flags | SlotFlags.IN_DATA : flags;
        hostile.toVictim.publish(opcode, placed, source, victim.jfr.id(), chunkBytes, 0, totalBytes, 0);
    }

    private void assertCutOff() {
        assertThat(victim.awaitLoss()).contains("impossible").contains("slot ");
        assertThat(victim.records).isEmpty();
    }

    @Test
    void anHonestMessageArrives() {
        victim.receive(0);
        publish(SEND, WHOLE, 5, 40, 40);

        var record = victim.await("the message", any -> true);

        assertThat(record.isSuccess()).isTrue();
        assertThat(record.lengthBytes()).isEqualTo(40);
        assertThat(record.source().orElseThrow().id()).isEqualTo(5);
        assertThat(record.source().orElseThrow().uasid()).isEqualTo(7);
    }

    /** The record of a message must not announce more bytes than were sent: the rest of the buffer has other data. */
    @Test
    void aMessageThatIsShorterThanItSaysIsRefused() {
        victim.receive(0);
        publish(SEND, WHOLE, 5, 40, 4000);

        assertCutOff();
    }

    /** S10.4: messages before an impossible slot are reported, even if they arrived in the same turn. */
    @Test
    void messagesBeforeABrokenSlotAreDelivered() {
        for (int place = 0; place < 3; place++) {
            victim.receive(place);
        }
        publish(SEND, WHOLE, 5, 40, 40);
        publish(SEND, WHOLE, 5, 8, 8);
        publish(SEND, WHOLE, 5, 40, 4000);

        assertThat(victim.awaitLoss()).contains("impossible");
        victim.poll();
        assertThat(victim.records)
                .allMatch(Completion::isSuccess)
                .extracting(Completion::lengthBytes)
                .containsExactly(40L, 8L);
    }

    /** Ids have 24 bits; more would change the address space that the record names. */
    @Test
    void nobodySpeaksInTheNameOfAnotherContext() {
        victim.receive(0);
        publish(SEND, WHOLE, 5 | 1 << 25, 40, 40);

        assertCutOff();
    }

    @Test
    void aTrainThatEndsEarlyIsRefused() {
        victim.receive(0);
        publish(SEND, SlotFlags.FIRST, 5, CHUNK, 2L * CHUNK);
        publish(SEND, SlotFlags.LAST, 5, 8, 2L * CHUNK);

        assertCutOff();
    }

    @Test
    void aTrainThatChangesItsOpcodeIsRefused() {
        victim.receive(0);
        publish(SEND, SlotFlags.FIRST, 5, 8, 16);
        publish(0xEE, SlotFlags.LAST, 5, 8, 16);

        assertCutOff();
    }

    @Test
    void aTrainThatGrowsUnderWayIsRefused() {
        victim.receive(0);
        publish(SEND, SlotFlags.FIRST, 5, 8, 16);
        publish(SEND, 0, 5, RingVictim.BUFFER, 2L * RingVictim.BUFFER);

        assertCutOff();
        assertThat(victim.spoiltGuards()).isZero();
    }

    /** S10.1, S12.1: each message takes its receive when it begins, and a slow one delays only its own queue. */
    @Test
    void aShortMessagePassesTheLongOneOfAnotherQueue() {
        victim.receive(0);
        victim.receive(1);
        victim.receive(2);
        publish(SEND, SlotFlags.FIRST, 5, CHUNK, 2L * CHUNK);
        publish(SEND, WHOLE, 6, 40, 40);

        var passing = victim.await("the short message", any -> true);
        publish(SEND, SlotFlags.LAST, 5, CHUNK, 2L * CHUNK);
        publish(SEND, WHOLE, 5, 8, 8);
        var passed = victim.await("the long message", any -> true);
        var next = victim.await("the next one of its queue", any -> true);

        assertThat(passing.userContext()).isEqualTo(1);
        assertThat(passing.source().orElseThrow().id()).isEqualTo(6);
        assertThat(passed.userContext()).isZero();
        assertThat(passed.lengthBytes()).isEqualTo(2L * CHUNK);
        assertThat(next.userContext()).isEqualTo(2);
    }

    /** The sender gave it up, and its next message fits into one slot. */
    @Test
    void aTrainThatWasGivenUpLetsGoOfItsReceive() {
        victim.receive(0);
        victim.receive(1);
        publish(SEND, SlotFlags.FIRST, 5, CHUNK, 2L * CHUNK);
        publish(SEND, WHOLE | SlotFlags.RESTART, 5, 8, 8);

        var record = victim.await("the message", any -> true);

        assertThat(record.userContext()).isZero();
        assertThat(victim.jfr.counters().get("waiting")).isEqualTo(1);
    }

    @Test
    void aTrainIntoAQueueThatWasClosedMeanwhileHasNoRecord() {
        victim.receive(0);
        publish(SEND, SlotFlags.FIRST, 5, CHUNK, 2L * CHUNK);
        Patience.await("the first chunk", () -> {
            victim.poll();
            return hostile.toVictim.answerTo(0) == Answer.TAKEN;
        });
        victim.jfr.close();
        publish(SEND, SlotFlags.LAST, 5, CHUNK, 2L * CHUNK);

        Patience.await("the answer", () -> {
            victim.poll();
            return hostile.toVictim.answerTo(1) != 0;
        });

        assertThat(hostile.toVictim.answerTo(1)).isIn(Answer.FAILED, Answer.HELD);
        assertThat(victim.records).isEmpty();
        assertThat(victim.events).isEmpty();
        victim.buffers.close(); // nothing names it any more
    }

    /** A receiver that refuses messages forever as if they were behind others. */
    @Test
    void whoIsHeldBehindNothingFails() {
        victim.jfs.send(hostile.target, victim.buffers, 0, 40, 1);
        hostile.fromVictim.answer(0, Answer.HELD, 0);

        assertThat(victim.await("the result", any -> true).status()).isEqualTo(CompletionStatus.REM_OPERATION_ERR);
    }

    /**
     * A message whose receiver was not ready is retransmitted. When the receiver then abandons it half-way, it fails,
     * and is not retransmitted again.
     */
    @Test
    void whatIsLetGoOfHalfWayFailsAndIsNotRepeated() {
        int threeChunks = 2 * RingLayout.CHUNK_BYTES + 8;
        var memory = victim.context.allocate(threeChunks);
        var long3 = victim.context.register(memory, Access.LOCAL_ONLY);
        victim.jfs.send(hostile.target, long3, 0, threeChunks, 1);
        hostile.fromVictim.answer(0, Answer.NOT_READY, 1);
        hostile.fromVictim.answer(1, Answer.HELD, 0);
        hostile.fromVictim.answer(2, Answer.HELD, 0);
        Patience.await("the repeated message", () -> {
            victim.poll();
            return hostile.fromVictim.opcodeAt(5) == SEND;
        });
        hostile.fromVictim.answer(3, Answer.TAKEN, 0);
        hostile.fromVictim.answer(4, Answer.HELD, 0);
        hostile.fromVictim.answer(5, Answer.HELD, 0);

        assertThat(victim.await("the result", any -> true).status()).isEqualTo(CompletionStatus.REM_OPERATION_ERR);
        long3.close();
        memory.close();
    }

    @Test
    void answersThatDoNotExistEndTheMessageWithAnError() {
        victim.jfs.send(hostile.target, victim.buffers, 0, 40, 1);
        hostile.fromVictim.answer(0, 0xEE, 0xFF_FFFF);

        assertThat(victim.await("the result", any -> true).status()).isEqualTo(CompletionStatus.REM_OPERATION_ERR);
    }

    /** S10.4: a result that was there before the answer that does not exist. */
    @Test
    void resultsBeforeABadAnswerAreTold() {
        for (int i = 0; i < 3; i++) {
            victim.jfs.send(hostile.target, victim.buffers, 0, 40, i);
        }
        hostile.fromVictim.answer(2, 0xEE, 0xFF_FFFF);
        hostile.fromVictim.answer(1, Answer.TAKEN, 0);
        hostile.fromVictim.answer(0, Answer.TAKEN, 0);

        Patience.await("the results", () -> {
            victim.poll();
            return victim.records.size() >= 3;
        });
        assertThat(victim.records.subList(0, 3))
                .extracting(Completion::userContext, Completion::status)
                .containsExactly(
                        tuple(0L, CompletionStatus.SUCCESS),
                        tuple(1L, CompletionStatus.SUCCESS),
                        tuple(2L, CompletionStatus.REM_OPERATION_ERR));
    }

    /** S12.1: an honest sender looks before it sends whether its target takes datagrams. */
    @Test
    void aDatagramToAQueueOfMessagesIsDroppedAndCounted() {
        victim.receive(0);
        publish(SEND, WHOLE | SlotFlags.DATAGRAM, 5, 40, 40);

        Patience.await("the count", () -> {
            victim.poll();
            return victim.jfr.counters().get("droppedWrongMode") == 1;
        });
        assertThat(victim.jfr.counters().get("dropped")).isEqualTo(1);
        assertThat(victim.jfr.counters().get("waiting")).isEqualTo(1);
        assertThat(victim.records).isEmpty();
    }

    /** S8.1, S12.1: the ring of a peer that takes nothing is full in the end, and what waits for room is lost in time. */
    @Test
    void datagramsToASilentPeerAreDroppedAndCounted() throws Exception {
        hostile.close();
        victim.awaitLoss();
        hostile = new HostileRing(directory, victim.context, TransportMode.UM);
        var jfs = victim.context.createJfs(
                victim.jfc,
                JfsConfig.builder()
                        .mode(TransportMode.UM)
                        .depth(RingLayout.SLOTS)
                        .timeout(Duration.ofMillis(50))
                        .build());
        int sent = RingLayout.SLOTS + 2;
        for (int i = 0; i < sent; i++) {
            jfs.send(hostile.target, victim.buffers, 0, 40, i);
            victim.poll();
        }

        Patience.await("all records", () -> {
            victim.poll();
            return victim.records.size() == sent;
        });

        assertThat(victim.records).allMatch(Completion::isSuccess);
        long inTheRing = LongStream.range(0, RingLayout.SLOTS)
                .filter(slot -> hostile.fromVictim.opcodeAt(slot) == SEND)
                .count();
        assertThat(inTheRing).isBetween(1L, (long) RingLayout.SLOTS);
        assertThat(jfs.counters().get("droppedPeerSilent")).isEqualTo(sent - inTheRing);
        assertThat(jfs.counters().get("dropped")).isEqualTo(sent - inTheRing);
        jfs.close();
    }

    /** A queue fails after a part of its message was sent: the receiver is notified that the rest will not come. */
    @Test
    void theReceiverHearsThatTheRestOfAMessageWillNotCome() {
        var memory = victim.context.allocate(4L << 20);
        var big = victim.context.register(memory, Access.LOCAL_ONLY);
        victim.jfs.send(hostile.target, big, 0, 4 << 20, 1); // does not fit into the ring
        victim.jfs.modify(QueueState.ERROR);
        assertThat(victim.await("the flushed message", any -> true).status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);

        Patience.await("the slot that says so", () -> {
            for (long slot = 0; slot < 9; slot++) {
                hostile.fromVictim.answer(slot, Answer.TAKEN, 0);
            }
            victim.poll();
            return hostile.fromVictim.opcodeAt(8) == Opcode.NOP.value();
        });

        assertThat(hostile.fromVictim.flagsAt(8)).isEqualTo(WHOLE | SlotFlags.RESTART);
        big.close();
        memory.close();
    }

    /** After the queue has come back, what is one-sided does not wait for what was given up. */
    @Test
    void aHalfSentMessageThatWasGivenUpHoldsUpNobody() {
        var memory = victim.context.allocate(4L << 20);
        var big = victim.context.register(memory, Access.LOCAL_ONLY);
        victim.jfs.send(hostile.target, big, 0, 4 << 20, 1);
        victim.jfs.modify(QueueState.ERROR);
        victim.await("the flushed message", any -> any.status() == CompletionStatus.WR_FLUSH_ERR);
        victim.await("the marker", any -> any.status() == CompletionStatus.WR_FLUSH_ERR_DONE);
        victim.jfs.modify(QueueState.RESET);
        victim.jfs.modify(QueueState.READY);

        victim.jfs.send(hostile.target, big, 0, 8, 2);
        Patience.await("the next message", () -> {
            for (long slot = 0; slot < 12; slot++) {
                hostile.fromVictim.answer(slot, Answer.TAKEN, 0);
            }
            victim.poll();
            return victim.records.stream().anyMatch(any -> any.userContext() == 2 && any.isSuccess());
        });
        big.close();
        memory.close();
    }

    /** Each costs a warning, and a loop of them would fill the disk. */
    @Test
    void brokenPathsDoNotFillTheLog() throws Exception {
        int paths = 60;
        AtomicInteger warnings = new AtomicInteger();
        Logger logger = Logger.getLogger("io.urma4j.shm.ShmContext");
        logger.setFilter(entry -> {
            warnings.incrementAndGet();
            return false;
        });
        try {
            victim.receive(0);
            for (int i = 0; i < paths; i++) {
                publish(SEND, WHOLE, 5 | 1 << 25, 40, 40);
                assertThat(victim.awaitLoss()).contains("impossible");
                victim.events.clear();
                hostile.close();
                hostile = new HostileRing(directory, victim.context);
            }
        } finally {
            logger.setFilter(null);
        }

        System.out.printf("HostileRingTest: %d broken paths, %d warnings%n", paths, warnings.get());
        assertThat(warnings.get()).isPositive().isLessThan(paths / 2);
    }

    /** The number of a Jetty is no secret: its token is. */
    @Test
    void aJettyIsBoundOnlyToAPeerThatShowedItsToken() throws Exception {
        Jfr receives = victim.context.createJfr(
                victim.jfc, JfrConfig.builder().mode(TransportMode.RC).build());
        Jetty jetty = victim.context.createJetty(
                victim.jfc, receives, JfsConfig.builder().mode(TransportMode.RC).build());
        JettyDescriptor descriptor = jetty.descriptor();
        String address = descriptor.endpoints().getFirst().address();
        Bind bind = new Bind(1, jetty.id(), 77, descriptor.orderType());
        try (RawPeer stranger = RawPeer.connectedTo(directory, address)) {
            stranger.send(RawPeer.hello(descriptor.incarnation(), 1));
            assertThat(stranger.receive()).isPresent();

            stranger.send(bind);
            assertThat(stranger.receive().orElseThrow())
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.status()).isEqualTo(UrmaStatus.ENOPERM));
            stranger.send(new ImportQueue(2, jetty.id(), JettyDescriptor.Kind.JETTY, jetty.token()));
            assertThat(stranger.receive().orElseThrow()).isInstanceOf(QueueGranted.class);
            stranger.send(bind);
            assertThat(stranger.receive().orElseThrow()).isInstanceOf(Done.class);
        }
        jetty.close();
        receives.close();
    }
}
