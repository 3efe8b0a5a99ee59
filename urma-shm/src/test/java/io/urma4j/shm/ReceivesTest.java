package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.control.InvalidateResult;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.TestPeers;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingSender;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a receive work request holds between its message and its record. */
@Timeout(60)
class ReceivesTest {
    private static final int SIZE = 8192;
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private Path runtime;

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private ShmContext context;
    private ProviderSegment buffer;
    private ShmReceiveQueue receives;
    private ShmJfc jfc;

    @BeforeEach
    void open() throws Exception {
        context = new ShmContext(
                UrmaOptions.DEFAULT.withRuntimeDirectory(runtime),
                Eid.ofIpv4(0x7F00_0001),
                ContextOptions.DEFAULT,
                _ -> {});
        buffer = context.register(new SegmentRequest(
                        context.allocate(SIZE, AllocOptions.DEFAULT),
                        null,
                        Access.LOCAL_ONLY,
                        TokenPolicy.NONE,
                        Token.of(0)))
                .get(20, TimeUnit.SECONDS);
        jfc = (ShmJfc) context.createJfc(JfcConfig.DEFAULT, this::recorded);
        JfrConfig one = JfrConfig.builder().depth(1).policy(TokenPolicy.NONE).build();
        receives = (ShmReceiveQueue) context.createReceiveQueue(one, jfc);
    }

    @AfterEach
    void close() throws Exception {
        receives.close();
        jfc.close();
        context.close(LONG).get(20, TimeUnit.SECONDS);
    }

    /** Under the lock of the JFC, when the record has just become visible. */
    private void recorded() {
        seen.add(buffer.unfinished() + " work requests name the buffer");
    }

    /** S10.5, S10.6: else more messages could arrive than its depth says, and the JFC overflow. */
    @Test
    void whatAMessageHasTakenCountsUntilItsRecord() {
        assertThat(receives.receive(buffer, 0, SIZE, 1)).isTrue();
        ReceiveWr taken = receives.take();

        assertThat(receives.receive(buffer, 0, SIZE, 2)).isFalse();
        receives.giveBack(taken); // its message broke off
        assertThat(receives.counters().get("waiting")).isEqualTo(1);
        assertThat(receives.receive(buffer, 0, SIZE, 2)).isFalse();

        ReceiveWr again = receives.take();
        assertThat(again.userContext).isEqualTo(1);
        receives.free(again);
        assertThat(receives.receive(buffer, 0, SIZE, 3))
                .as("before the thread that saw the record knows of its end")
                .isTrue();
        receives.emptied(again);
        assertThat(buffer.unfinished()).isEqualTo(1);
    }

    /** S10.6: the JFC of a Jetty has overflowed, and just then another thread has posted the next receive work request. */
    @Test
    void aReceiveIsNotLostIfTheQueueWasFilledMeanwhile() {
        for (long number = 1; number <= 5; number += 2) {
            assertThat(receives.receive(buffer, 0, SIZE, number)).isTrue();
            ReceiveWr taken = receives.take();
            receives.free(taken);
            assertThat(receives.receive(buffer, 0, SIZE, number + 1)).isTrue();
            receives.giveBack(taken);

            assertThat(receives.counters().get("waiting")).isEqualTo(2);
            assertThat(buffer.unfinished()).isEqualTo(2);
            assertThat(receives.receive(buffer, 0, SIZE, 9))
                    .as("beyond its depth")
                    .isFalse();
            assertThat(takenNow()).isEqualTo(number);
            assertThat(takenNow()).isEqualTo(number + 1);
            assertThat(buffer.unfinished()).isZero();
        }
        assertThat(receives.depth()).isEqualTo(1);
    }

    /** S10.1: two messages break off, the older one first. */
    @Test
    void whatIsGivenBackIsTakenInTheOrderOfThePosts() {
        receives.close();
        JfrConfig three = JfrConfig.builder().depth(4).policy(TokenPolicy.NONE).build();
        receives = (ShmReceiveQueue) context.createReceiveQueue(three, jfc);
        for (long number = 1; number <= 3; number++) {
            assertThat(receives.receive(buffer, 0, SIZE, number)).isTrue();
        }
        ReceiveWr first = receives.take();
        ReceiveWr second = receives.take();

        receives.giveBack(first);
        receives.giveBack(second);

        assertThat(LongStream.range(0, 3).map(_ -> takenNow())).containsExactly(1L, 2L, 3L);
    }

    private long takenNow() {
        ReceiveWr taken = receives.take();
        long userContext = taken.userContext;
        receives.emptied(taken);
        return userContext;
    }

    /** S10.5: the JFC overflows after the caller of modify has checked it. */
    @Test
    void aQueueWhoseJfcHasOverflowedMeanwhileIsNotReady() {
        receives.modify(ReceiveState.RESET);
        JfcRecords records = jfc.records();
        records.lock().acquire();
        for (int i = 0; i <= records.depth(); i++) {
            records.push(0, 0, 0, JfcRecords.provenance(receives.ownerIndex(), i));
        }
        records.lock().release();
        assertThat(jfc.isValid()).isFalse();

        receives.modify(ReceiveState.READY);

        assertThat(receives.state()).isEqualTo(ReceiveState.ERROR);
    }

    /** S5.8: a thread has checked the binding, and waits for the lock of the JFC while another one unbinds. */
    @Test
    void anUnbindReturnsAfterTheRecordsOfAdmittedMessages() throws Exception {
        receives.receive(buffer, 0, SIZE, 1);
        var sendJfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
        JfsConfig connected = JfsConfig.builder().mode(TransportMode.RC).build();
        var jetty = (ShmSendQueue) context.createSendQueue(connected, sendJfc, receives, null);
        Receivers receivers = new Receivers();
        receivers.add(jetty.inbound(receives, receives.jfc(), receives.ownerIndex()));
        MemorySegment inbound = Arena.ofAuto().allocate(RingLayout.BYTES, 64);
        MemorySegment outbound = Arena.ofAuto().allocate(RingLayout.BYTES, 64);
        PathMemory memory = new PathMemory(1, inbound, outbound, () -> {}, () -> {});
        Peer peer = TestPeers.one();
        MessagePath path =
                new MessagePath(peer, memory, receivers, _ -> InvalidateResult.NOT_ALLOWED, _ -> {}, (_, _) -> {});
        ShmTarget target = new ShmTarget(receives.descriptor(), peer, path.out()); // in place of the peer's Jetty
        jetty.binding().begin(target);
        jetty.window().order().life().enter(QueueState.READY);
        TestPeers.lose(peer); // no goodbye is sent to it
        int whole = SlotFlags.FIRST | SlotFlags.LAST;
        new RingSender(inbound).publishShort(Opcode.SEND.value(), whole, target.queueId(), jetty.id(), 8);
        FutureTask<Boolean> stillWaits = new FutureTask<>(() -> {
            var _ = jetty.unbind(LONG);
            return receives.seemsReady();
        });
        Thread delivering;
        jfc.records().lock().acquire();
        try {
            delivering = Thread.ofPlatform().start(() -> path.turn(true));
            Patience.await("the delivery", () -> delivering.getState() == Thread.State.TIMED_WAITING);
            Thread unbinding = Thread.ofPlatform().start(stillWaits);
            Patience.await(
                    "the unbind, or its end",
                    () -> stillWaits.isDone() || unbinding.getState() == Thread.State.TIMED_WAITING);
        } finally {
            jfc.records().lock().release();
        }
        delivering.join();

        assertThat(stillWaits.get(20, TimeUnit.SECONDS))
                .as("whether the receive waited for a message after the unbind")
                .isFalse();
        assertThat(receives.counters().get("received")).isEqualTo(1);
        jetty.close();
        sendJfc.close();
    }

    /** S4.1: the thread that sees the record may unregister the buffer at once. */
    @Test
    void theRecordOfAMessageComesWhenItsBufferIsFree() throws Exception {
        var target = context.importQueue(receives.descriptor(), null, LONG).get(20, TimeUnit.SECONDS);
        var sendJfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
        var queue = context.createSendQueue(JfsConfig.DEFAULT, sendJfc, null, null);
        var source = context.register(new SegmentRequest(
                        context.allocate(SIZE, AllocOptions.DEFAULT),
                        null,
                        Access.LOCAL_ONLY,
                        TokenPolicy.NONE,
                        Token.of(0)))
                .get(20, TimeUnit.SECONDS);
        receives.receive(buffer, 0, SIZE, 1);
        jfc.rearm(false);

        assertThat(queue.send(Opcode.SEND.value(), target, source, 0, SIZE, 0, 7, PostFlags.SIGNALLED_BIT))
                .isTrue();

        Patience.await("the record", () -> !seen.isEmpty());
        assertThat(seen).containsExactly("0 work requests name the buffer");
        long[] words = new long[CompletionRecord.WORDS];
        Patience.await("the sender's record", () -> sendJfc.poll(words, 1) == 1);
        queue.close();
        sendJfc.close();
    }
}
