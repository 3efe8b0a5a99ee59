package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.ContextOptions;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.tck.Outcome;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Poller;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** S15.12, S15.21: what else a queue or a path does while a slow device copies. */
@Timeout(60)
class DeviceCopyTest {
    private static final int SIZE = 4096;
    private static final long LATENCY_NANOS = 250_000_000; // longer than a busy machine takes to close a context

    @TempDir
    private Path runtime;

    private final SimulatedNpus npus = new SimulatedNpus(NpuConfig.DEFAULT.withLatencyNanos(LATENCY_NANOS));
    private Urma urma;
    private UrmaContext context;
    private DeviceMemory memory;
    private LocalSegment onDevice;
    private LocalSegment onHost;
    private RemoteSegment remote;
    private Jfc jfc;
    private Poller poller;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime));
        urma.peerMemory().add(npus);
        context = urma.device("shm0").openContext();
        memory = urma.peerMemory().allocate(SimulatedNpus.NAME, 0, SIZE);
        onDevice = context.register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
        onHost = context.register(context.allocate(SIZE), Access.LOCAL_ONLY);
        var segment = context.register(context.allocate(SIZE), Access.READ_WRITE);
        remote = context.importSegment(segment.descriptor(), segment.token());
        jfc = context.createJfc(JfcConfig.DEFAULT);
        poller = new Poller(jfc);
    }

    @AfterEach
    void close() {
        urma.close();
        assertThat(npus.violations()).isEmpty();
        assertThat(npus.pinnedBytes(0)).isZero();
    }

    private Jfs queue() {
        return context.createJfs(jfc, JfsConfig.DEFAULT);
    }

    /** A READ into device memory that has begun and will take {@link #LATENCY_NANOS}. */
    private Thread readInProgress(Jfs queue, long userContext) {
        Thread posting = Thread.ofPlatform()
                .start(() -> assertThat(queue.read(remote, 0, onDevice, 0, SIZE, userContext))
                        .isTrue());
        Patience.await("the copy", () -> posting.getState() == Thread.State.TIMED_WAITING);
        return posting;
    }

    /** S15.12, S6.6: the record of a copy comes before the marker of an error that happens meanwhile. */
    @Test
    void markerFollowsACopyInProgress() throws Exception {
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);

        queue.modify(QueueState.ERROR);

        assertThat(poller.next(2))
                .extracting(Outcome::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.WR_FLUSH_ERR_DONE);
        posting.join();
    }

    /** S15.12: requests behind the copy wait for it; those of other queues of the same JFC do not. */
    @Test
    void otherQueuesPassTheCopy() throws Exception {
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);

        assertThat(queue.write(remote, 0, onHost, 0, 8, 2)).isTrue();
        assertThat(queue().write(remote, 0, onHost, 0, 8, 3)).isTrue();

        assertThat(poller.next(3)).extracting(Outcome::userContext).containsExactly(3L, 1L, 2L);
        posting.join();
    }

    /** S4.1: a queue ends after the copy, and then what the copy used can end. */
    @Test
    void closeWaitsForTheCopy() throws Exception {
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);

        queue.close();

        posting.join();
        onDevice.close();
        memory.close();
    }

    /** S6.11: a quiescence waits for the copy, and returns what is behind it. */
    @Test
    void quiescenceWaitsForTheCopy() throws Exception {
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);
        assertThat(queue.write(remote, 0, onHost, 0, 8, 2)).isTrue();

        var rest = queue.quiesce(Duration.ofSeconds(10));

        assertThat(rest).isNotNull();
        posting.join();
        assertThat(poller.next(1)).extracting(Outcome::userContext).containsExactly(1L);
    }

    /** S15.12: a suspension waits for the copy. */
    @Test
    void suspensionWaitsForTheCopy() throws Exception {
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);

        queue.modify(QueueState.SUSPENDED);

        assertThat(poller.next(2))
                .extracting(Outcome::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.WR_SUSPEND_DONE);
        posting.join();
    }

    /** S6.3, S6.8, S9.4: an unbind waits for the copy, and a message that was sent in part may have been executed. */
    @Test
    void unbindWaitsForTheCopyOfAMessage() {
        int threeStages = 9 * RingLayout.CHUNK_BYTES / 2;
        DeviceMemory big = urma.peerMemory().allocate(SimulatedNpus.NAME, 0, threeStages);
        LocalSegment source = context.register(big, SegmentConfig.of(Access.LOCAL_ONLY));
        Jetty there = jetty(urma.device("shm0").openContext());
        Jetty here = jetty(context);
        here.bind(context.importJetty(there.share()));
        there.bind(there.context().importJetty(here.share()));
        var to = there.context().register(there.context().allocate(threeStages), Access.LOCAL_ONLY);
        there.receive(to, 0, threeStages, 1);
        Thread posting = Thread.ofPlatform().start(() -> here.jfs().send(null, source, 0, threeStages, 5));
        Patience.await(
                "the first bytes",
                () -> context.paths().stream()
                                .mapToLong(path -> path.counters().get("slotsSent"))
                                .sum()
                        > 0);

        here.unbind();

        assertThat(here.state()).isEqualTo(QueueState.RESET);
        assertThat(poller.within(Duration.ZERO))
                .extracting(Outcome::userContext, Outcome::status)
                .containsExactly(tuple(5L, CompletionStatus.WR_FLUSH_ERR));
        assertThat(here.jfs().flushAll()).isEmpty();
        source.close();
        big.close();
        assertThat(posting.isAlive()).isFalse();
        there.unbind();
    }

    /** A Jetty whose unbind has timed out, since a READ of its queue into device memory hangs. */
    private final class HungUnbind {
        private final UrmaContext impatient = urma.device("shm0")
                .openContext(0, ContextOptions.DEFAULT.withImportTimeout(Patience.stretched(Duration.ofSeconds(2))));
        private final DeviceMemory own = urma.peerMemory().allocate(SimulatedNpus.NAME, 0, SIZE);
        private final LocalSegment destination = impatient.register(own, SegmentConfig.of(Access.LOCAL_ONLY));
        private final RemoteSegment range;
        private final Jetty there = jetty(context);
        private final Jfc records = impatient.createJfc(JfcConfig.DEFAULT);
        private final Jetty here = jetty(impatient, records);
        private final TargetJetty target = impatient.importJetty(there.share());
        private final Thread posting;

        HungUnbind() {
            var segment = context.register(context.allocate(SIZE), Access.READ_WRITE);
            range = impatient.importSegment(segment.descriptor(), segment.token());
            here.bind(target);
            posting = readOfAStoppedDevice(here.jfs(), range, destination);
            assertRefused(UrmaStatus.ETIMEOUT, here::unbind);
        }

        /** The device goes on, and a second unbind ends the connection. */
        void end() throws InterruptedException {
            npus.stop(0, false);
            posting.join();
            here.unbind();
        }
    }

    /** S5.7, S6.3: a connection that an unbind could not end in time is none any more. */
    @Test
    void jettyWhoseUnbindHasTimedOutIsNotBoundBeforeItIsUnbound() throws Exception {
        HungUnbind hung = new HungUnbind();
        Jetty here = hung.here;

        assertRefused(UrmaStatus.EAGAIN, () -> here.bind(hung.target));
        hung.end();

        assertThat(here.state()).isEqualTo(QueueState.RESET);
        assertThat(new Poller(hung.records).next()).returns(1L, Outcome::userContext);
        here.bind(hung.target);
        assertThat(here.state()).isEqualTo(QueueState.READY);
        here.unbind();
    }

    /** S4.2, S5.7: the place of a request that is refused, since the queue is not bound any more, stays empty. */
    @Test
    void refusedRequestOfAListHoldsNothing() throws Exception {
        HungUnbind hung = new HungUnbind();
        Jetty here = hung.here;
        RemoteSegment range = hung.range;
        LocalSegment bytes = hung.impatient.register(hung.impatient.allocate(SIZE), Access.LOCAL_ONLY);

        WorkRequestList list = new WorkRequestList(1, 1);
        list.writeImmediate(null, range, 0, 7, 2).from(bytes, 0, 8);
        assertThat(here.jfs().post(list)).isZero();
        assertThat(list.refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal).hasMessageContaining("is not bound"));
        hung.end();
        Poller results = new Poller(hung.records);
        assertThat(results.next()).returns(1L, Outcome::userContext);
        here.bind(hung.target);
        hung.there.bind(context.importJetty(here.share()));
        here.jfs().write(range, 0, bytes, 0, 8, 3); // takes the place, and ends within its post
        assertThat(results.next()).returns(3L, Outcome::userContext);
        for (int i = 0; i < here.jfs().depth(); i++) {
            hung.there.receive(onHost, 0, 8, i);
            here.jfs().send(null, bytes, 0, 8, 4);
            assertThat(results.next()).returns(CompletionStatus.SUCCESS, Outcome::status);
        }

        Jfs other = hung.impatient.createJfs(hung.records, JfsConfig.DEFAULT);
        Thread posting = readOfAStoppedDevice(other, range, hung.destination);
        assertRefused(UrmaStatus.EAGAIN, range::close);
        npus.stop(0, false);
        posting.join();
        here.unbind();
        hung.there.unbind();
    }

    private Thread readOfAStoppedDevice(Jfs queue, RemoteSegment source, LocalSegment destination) {
        npus.stop(0, true);
        Thread posting = Thread.ofPlatform().start(() -> queue.read(source, 0, destination, 0, SIZE, 1));
        Patience.await("the copy", () -> posting.getState() == Thread.State.TIMED_WAITING);
        return posting;
    }

    private static void assertRefused(UrmaStatus status, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(status));
    }

    private Jetty jetty(UrmaContext in) {
        return jetty(in, in == context ? jfc : in.createJfc(JfcConfig.DEFAULT));
    }

    private static Jetty jetty(UrmaContext in, Jfc records) {
        Jfr receives =
                in.createJfr(records, JfrConfig.builder().mode(TransportMode.RC).build());
        return in.createJetty(
                records, receives, JfsConfig.builder().mode(TransportMode.RC).build());
    }

    /** S15.10, S9.5: a queue without locks, whose copies other threads may finish. */
    @Test
    void lockFreeQueueCopiesInOrder() {
        Jfc own = context.createJfc(new JfcConfig(64, true));
        Jfs queue = context.createJfs(
                own, JfsConfig.builder().lockFree(true).depth(16).build());
        for (int i = 0; i < 6; i++) {
            LocalSegment source = i % 3 == 0 ? onDevice : onHost;
            assertThat(queue.write(remote, 0, source, 0, 64, i)).isTrue();
        }

        assertThat(new Poller(own).next(6)).extracting(Outcome::userContext).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    }

    /** S15.21: a device that is lost ends a copy that it would never have ended; the host part goes on. */
    @Test
    void lostDeviceEndsTheCopyAlone() throws Exception {
        npus.stop(0, true);
        Jfs queue = queue();
        Thread posting = readInProgress(queue, 1);

        npus.lose(0);

        assertThat(poller.next())
                .returns(1L, Outcome::userContext)
                .returns(CompletionStatus.LOC_ACCESS_ERR, Outcome::status);
        posting.join();
        assertThat(queue().write(remote, 0, onHost, 0, 8, 2)).isTrue();
        assertThat(poller.next(2)).extracting(Outcome::status).contains(CompletionStatus.SUCCESS);
    }

    /** S15.12: a message behind one that fills device memory is received after it. */
    @Test
    void messagesKeepTheirOrderBehindACopy() {
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        jfr.receive(onDevice, 0, SIZE, 1);
        jfr.receive(onHost, 0, SIZE, 2);
        jfr.receive(onDevice, 0, SIZE, 3);
        var sender = Sender.of(urma, jfr);
        for (int i = 0; i < 3; i++) {
            assertThat(sender.queue().send(sender.target(), sender.source(), 0, 100 + i, i))
                    .isTrue();
        }

        assertThat(poller.next(3))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::lengthBytes)
                .containsExactly(100L, 101L, 102L);
        assertThat(new Poller(sender.jfc()).next(3)).allMatch(Outcome::isSuccess);
    }

    /** S15.21: a receiver that is closed while a device fills its buffer leaves nothing behind. */
    @Test
    void receiverClosesWhileItsBufferIsFilled() {
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        jfr.receive(onDevice, 0, SIZE, 1);
        var sender = Sender.of(urma, jfr);
        assertThat(sender.queue().send(sender.target(), sender.source(), 0, 100, 1))
                .isTrue();
        assertThat(poller.within(Duration.ofMillis(20))).isEmpty();

        jfr.close();

        onDevice.close();
        memory.close();
        assertThat(new Poller(sender.jfc()).next(1)).hasSize(1);
    }

    /** S12.4: the sender of a message ends while a device fills the buffer: the buffer takes the next message. */
    @Test
    void senderEndsWhileTheBufferIsFilled() {
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        jfr.receive(onDevice, 0, SIZE, 1);
        var first = Sender.of(urma, jfr);
        assertThat(first.queue().send(first.target(), first.source(), 0, 100, 1))
                .isTrue();
        List<Outcome> early = poller.within(Duration.ofMillis(20));
        first.context().close();

        var second = Sender.of(urma, jfr);
        jfr.receive(onHost, 0, SIZE, 2);
        assertThat(second.queue().send(second.target(), second.source(), 0, 101, 1))
                .isTrue();

        assertThat(early).isEmpty();
        assertThat(poller.next()).returns(101L, Outcome::lengthBytes);
    }

    /** S9.4: a receiver that is closed moves no bytes, also not those of a peer that is gone. */
    @Test
    void receiverClosesWhileItsBufferIsFilledForASenderThatHasEnded() throws Exception {
        npus.stop(0, true);
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        jfr.receive(onDevice, 0, SIZE, 1);
        var sender = Sender.of(urma, jfr);
        assertThat(sender.queue().send(sender.target(), sender.source(), 0, 100, 1))
                .isTrue();
        assertThat(poller.within(Duration.ofMillis(20))).isEmpty();
        sender.context().close();
        Patience.await("the end of the path", () -> context.paths().isEmpty());

        Thread closing = Thread.ofPlatform().start(jfr::close);
        Patience.await("a close that waits, or has ended", () -> closing.getState() != Thread.State.RUNNABLE);
        Thread.sleep(20);
        assertThat(closing.isAlive()).as("the close waits for the copy").isTrue();
        npus.stop(0, false);
        closing.join();
        onDevice.close();
        memory.close();
    }

    /** S15.36: an engine that copies multiples alone could not move any range of bytes. */
    @Test
    void engineOfMultiplesIsRefused() {
        var coarse = new SimulatedNpus(NpuConfig.DEFAULT.withAlignmentBytes(32));
        urma.close();
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime));
        urma.peerMemory().add(coarse);
        var other = urma.device("shm0").openContext();
        var there = urma.peerMemory().allocate(SimulatedNpus.NAME, 0, SIZE);

        assertThatThrownBy(() -> other.register(there, SegmentConfig.of(Access.LOCAL_ONLY)))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("multiples of 32");
        there.close();
        assertThat(coarse.pinnedBytes(0)).isZero();
    }

    /** Another context of the process, which sends. */
    private record Sender(UrmaContext context, Jfc jfc, Jfs queue, TargetJetty target, LocalSegment source) {
        static Sender of(Urma urma, Jfr to) {
            UrmaContext context = urma.device("shm0").openContext();
            Jfc jfc = context.createJfc(JfcConfig.DEFAULT);
            return new Sender(
                    context,
                    jfc,
                    context.createJfs(jfc, JfsConfig.DEFAULT),
                    context.importJetty(to.share()),
                    context.register(context.allocate(SIZE), Access.LOCAL_ONLY));
        }
    }
}
