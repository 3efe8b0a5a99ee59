package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.SegmentConfig;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.WorkRequestList;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.peer.DeviceMemory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SEMANTICS §15: work requests that wait for the work of a device. */
public abstract class DeviceEventsContract extends Contract {
    private static final Duration WHILE = Duration.ofMillis(100);
    private static final long NEW_VALUE = 0x1122_3344_5566_7788L;

    private final ManualEvents kernels = new ManualEvents();

    protected DeviceEventsContract(String device) {
        super(device);
    }

    @BeforeEach
    void addTheDevice() {
        pair.urma().peerMemory().add(kernels);
    }

    private DeviceEvent event(long number) {
        return ManualEvents.begin(pair.urma().peerMemory(), number);
    }

    /** A WRITE of 8 bytes that waits. */
    private static WorkRequestList write(Pair.Imported to, SendSide queue, long userContext, DeviceEvent event) {
        return new WorkRequestList(1, 1)
                .write(to.remote(), 0, userContext)
                .from(queue.scratch(), 0, 8)
                .after(event);
    }

    /** A message of 8 bytes that waits. */
    private static WorkRequestList send(TargetJetty to, SendSide queue, long userContext, DeviceEvent event) {
        return new WorkRequestList(1, 1)
                .send(to, userContext)
                .from(queue.scratch(), 0, 8)
                .after(event);
    }

    /** The bytes that leave are those of the end of the work, and not of the post. */
    @Rule("S15.51")
    @Test
    void writeWaitsForWhatFillsItsBuffer() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        DeviceEvent event = event(1);
        queue.postAll(write(imported, queue, 7, event));

        assertThat(queue.within(WHILE)).isEmpty();
        assertThat(imported.home().isZero(0, 8)).isTrue();
        assertThat(event.isDone()).isFalse();
        queue.scratch().memory().set(JAVA_LONG, 0, NEW_VALUE);
        kernels.end(1);

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(7L, Outcome::userContext);
        assertThat(queue.atomic(Opcode.FADD, imported.remote(), 0, 8, 0, 0)).isEqualTo(NEW_VALUE);
        assertThat(event.await(Duration.ofSeconds(1))).isTrue();
        assertThat(event.failure()).isNull();
    }

    /** The bytes come from where a kernel leaves them. */
    @Rule("S15.51")
    @Test
    void writeFromDeviceMemoryWaitsForItsKernel() {
        assumeTrue(pair.device().attributes().capabilities().deviceMemory(), "the device takes no device memory");
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        DeviceMemory memory = DevicesUnderTest.allocate(pair.urma(), 4096);
        LocalSegment segment = pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
        memory.fill(0, 4096, (byte) 1);
        queue.postAll(new WorkRequestList(1, 1)
                .write(imported.remote(), 0, 7)
                .from(segment, 8, 2048)
                .after(event(1)));
        assertThat(queue.within(WHILE)).isEmpty();

        memory.fill(0, 4096, (byte) 2);
        kernels.end(1);

        assertThat(queue.awaitCompletion()).returns(7L, Outcome::userContext).returns(true, Outcome::isSuccess);
        assertThat(imported.home().get(0, 2048)).containsOnly(2);
        segment.close();
        memory.close();
    }

    /** S8.9, S10.1: what follows it does not pass it, whatever it is. */
    @Rule({"S15.51", "S8.9", "S10.1"})
    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"WRITE", "READ", "FADD", "SEND", "WRITE_NOTIFY", "NOP"})
    void laterRequestsStayBehind(Opcode first) {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var receiver = pair.receiver(4096);
        receiver.queue().receive(receiver.buffer(), 0, 64, 0);
        receiver.queue().receive(receiver.buffer(), 64, 64, 1);
        var queue = pair.initiator().queue();
        queue.scratch().memory().fill((byte) 1);
        var list = new WorkRequestList(1, 1);
        switch (first) {
            case WRITE -> list.write(imported.remote(), 0, 0).from(queue.scratch(), 0, 8);
            case READ -> list.read(imported.remote(), 0, 0).into(queue.scratch(), 0, 8);
            case FADD -> list.atomic(first, imported.remote(), 0, 8, 1, 0, 0).into(queue.scratch(), 0, 8);
            case SEND -> list.send(receiver.target(), 0).from(queue.scratch(), 0, 8);
            case WRITE_NOTIFY ->
                list.writeNotify(imported.remote(), 0, imported.remote(), 8, 1, 0)
                        .from(queue.scratch(), 0, 8);
            default -> list.nop(0);
        }
        queue.postAll(list.after(event(1)));
        queue.jfs().write(imported.remote(), 64, queue.scratch(), 0, 8, 1);
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 2);
        queue.jfs().read(imported.remote(), 64, queue.scratch(), 64, 8, 3);

        assertThat(queue.within(WHILE)).isEmpty();
        if (first != Opcode.NOP) { // which has no target
            assertThat(imported.home().isZero(64, 8)).as("the later WRITE").isTrue();
            assertThat(receiver.queue().within(WHILE)).as("messages").isEmpty();
        }
        kernels.end(1);

        assertThat(queue.awaitCompletions(4))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(0L, 1L, 2L, 3L);
    }

    /** No thread of the poster looks at its queue. */
    @Rule("S15.51")
    @Test
    void engineStartsItWithoutAPoller() {
        var receiver = pair.receiver(4096);
        receiver.queue().receive(receiver.buffer(), 0, 64, 9);
        var queue = pair.initiator().queue();
        queue.postAll(send(receiver.target(), queue, 0, event(1)));
        assertThat(receiver.queue().within(WHILE.multipliedBy(3)))
                .as("until the engine sleeps")
                .isEmpty();

        kernels.end(1);

        assertThat(receiver.queue().next().userContext()).isEqualTo(9);
    }

    @Rule("S15.51")
    @Test
    void eachRequestHasItsOwnEvent() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        var list = new WorkRequestList(4, 1);
        for (int i = 0; i < 4; i++) {
            list.write(imported.remote(), 8L * i, i).from(queue.scratch(), 0, 8).after(event(i));
        }
        queue.postAll(list);

        kernels.end(2);
        kernels.end(0);
        assertThat(queue.awaitCompletion().userContext()).isZero();
        assertThat(queue.within(WHILE)).isEmpty();
        kernels.end(3);
        kernels.end(1);

        assertThat(queue.awaitCompletions(3)).extracting(Outcome::userContext).containsExactly(1L, 2L, 3L);
    }

    @Rule("S15.51")
    @ParameterizedTest
    @EnumSource(names = {"RC", "UM"})
    void messagesWaitInEveryMode(TransportMode mode) {
        DeviceEvent event = event(1);
        if (mode == TransportMode.RC) {
            var connection = pair.connection();
            var buffer = pair.home().segment(4096, Access.READ_WRITE);
            connection.there().receive(buffer, 0, 64, 0);
            connection
                    .queue()
                    .postAll(new WorkRequestList(1, 1)
                            .send(null, 5)
                            .from(connection.queue().scratch(), 0, 8)
                            .after(event));
            expectAtTheEnd(connection.queue());
            return;
        }
        var receiver =
                pair.receiver(4096, JfrConfig.builder().mode(TransportMode.UM).build());
        var queue = pair.initiator()
                .queue(JfsConfig.builder().mode(TransportMode.UM).build());
        queue.postAll(send(receiver.target(), queue, 5, event));
        expectAtTheEnd(queue);
    }

    private void expectAtTheEnd(SendSide queue) {
        assertThat(queue.within(WHILE)).isEmpty();
        kernels.end(1);
        assertThat(queue.awaitCompletion()).returns(5L, Outcome::userContext).returns(true, Outcome::isSuccess);
    }

    /** S12.3: the peer owes no answer meanwhile. */
    @Rule({"S15.51", "S12.3"})
    @Test
    void noTimeoutRunsMeanwhile() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var receiver = pair.receiver(4096);
        receiver.queue().receive(receiver.buffer(), 0, 64, 0);
        var queue = pair.initiator()
                .queue(JfsConfig.builder()
                        .timeout(Patience.stretched(Duration.ofMillis(500)))
                        .build());
        queue.postAll(new WorkRequestList(2, 1)
                .send(receiver.target(), 0)
                .from(queue.scratch(), 0, 8)
                .after(event(1))
                .write(imported.remote(), 0, 1)
                .from(queue.scratch(), 0, 8));

        assertThat(queue.within(Patience.stretched(Duration.ofMillis(1_600)))).isEmpty();
        kernels.end(1);

        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
    }

    /** A NOP has no target: what is behind it starts, and has its record behind that of the NOP. */
    @Rule({"S15.51", "S12.3"})
    @Test
    void nopHoldsNoOtherRequestUp() {
        var connection = pair.connection(JfsConfig.builder()
                .mode(TransportMode.RC)
                .timeout(Patience.stretched(Duration.ofMillis(300)))
                .build());
        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        connection.there().receive(buffer, 0, 64, 9);
        var queue = connection.queue();
        queue.postAll(
                new WorkRequestList(2, 1).nop(0).after(event(1)).send(null, 1).from(queue.scratch(), 0, 8));

        assertThat(connection.there().next().userContext()).isEqualTo(9);
        assertThat(queue.within(Patience.stretched(Duration.ofSeconds(1)))).isEmpty();
        kernels.end(1);

        assertThat(queue.awaitCompletions(2))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(0L, 1L);
    }

    @Rule({"S15.51", "S6.8"})
    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"WRITE", "NOP"})
    void failedWorkEndsTheRequest(Opcode first) {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        DeviceEvent event = event(1);
        var list = new WorkRequestList(2, 1);
        var one = first == Opcode.NOP
                ? list.nop(0)
                : list.write(imported.remote(), 0, 0).from(queue.scratch(), 0, 8);
        one.after(event);
        if (first == Opcode.WRITE) { // nothing waits behind a NOP, which has no target
            list.write(imported.remote(), 8, 1).from(queue.scratch(), 0, 8);
        }
        queue.postAll(list);

        kernels.fail(1);

        assertThat(queue.drainAndFlush())
                .hasSize(list.size())
                .satisfies(
                        failed -> assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_ACCESS_ERR),
                        Index.atIndex(0))
                .satisfies(
                        last -> assertThat(last.status())
                                .isIn(
                                        CompletionStatus.LOC_ACCESS_ERR,
                                        CompletionStatus.WR_FLUSH_ERR,
                                        CompletionStatus.WR_UNHANDLED),
                        Index.atIndex(list.size() - 1));
        assertThat(event.failure()).hasMessage("a kernel has faulted");
        assertThat(imported.home().isZero(0, 16)).isTrue();
    }

    @Rule("S15.51")
    @Test
    void eventsThatAreOver() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        DeviceEvent good = event(1);
        kernels.end(1);
        DeviceEvent bad = event(2);
        kernels.fail(2);
        var list = new WorkRequestList(2, 1)
                .write(imported.remote(), 0, 0)
                .from(queue.scratch(), 0, 8)
                .after(good)
                .write(imported.remote(), 0, 1)
                .from(queue.scratch(), 0, 8)
                .after(bad);

        assertThat(queue.jfs().post(list)).isEqualTo(1);

        assertThat(list.refusal()).get().asString().contains("request 1 follows a ", "a kernel has faulted");
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** The end of an event says nothing to the request that has the place of a flushed one. */
    @Rule({"S15.51", "S6.7"})
    @Test
    void flushEndsWhatWaits() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(2).build());
        var list = new WorkRequestList(2, 1);
        for (int i = 0; i < 2; i++) {
            list.write(imported.remote(), 0, i).from(queue.scratch(), 0, 8).after(event(i));
        }
        queue.postAll(list);

        queue.jfs().modify(QueueState.ERROR);

        assertThat(queue.drainAndFlush())
                .hasSize(2)
                .allMatch(one ->
                        one.status() == CompletionStatus.WR_FLUSH_ERR || one.status() == CompletionStatus.WR_UNHANDLED);
        queue.jfs().modify(QueueState.RESET);
        queue.jfs().modify(QueueState.READY);
        DeviceEvent next = event(2);
        queue.postAll(list.clear()
                .write(imported.remote(), 0, 2)
                .from(queue.scratch(), 0, 8)
                .after(next));
        kernels.end(0);
        kernels.fail(1);
        assertThat(queue.within(WHILE)).isEmpty();
        kernels.end(2);
        assertThat(queue.awaitCompletion()).returns(2L, Outcome::userContext).returns(true, Outcome::isSuccess);
    }

    @Rule({"S15.51", "S6.6"})
    @Test
    void suspensionAndQuiescence() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        queue.postAll(write(imported, queue, 0, event(1)));

        queue.suspend();
        kernels.end(1);
        assertThat(queue.within(WHILE)).as("of a suspended queue").isEmpty();
        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
    }

    @Rule("S15.51")
    @Test
    void queueIsClosedWhileARequestWaits() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        queue.postAll(write(imported, queue, 0, event(1)));

        queue.jfs().close();
        kernels.end(1);

        var other = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(other.write(imported.remote(), 0, other.scratch(), 0, 8).isSuccess())
                .isTrue();
    }

    /** The end of the event reaches no context any more, and the next actions all the same. */
    @Rule("S15.51")
    @Test
    void contextIsClosedWhileARequestWaits() {
        var receiver = pair.receiver(4096);
        var other = pair.anotherInitiator();
        var queue = other.queue();
        var target = other.context().importJetty(receiver.queue().shared());
        DeviceEvent event = event(1);
        queue.postAll(send(target, queue, 0, event));
        AtomicBoolean isTold = new AtomicBoolean();
        event.whenDone(() -> isTold.set(true));

        other.context().close();
        kernels.end(1);

        assertThat(isTold).isTrue();
    }

    @Rule({"S15.51", "S12.4"})
    @Test
    void deathOfThePeerEndsWhatWaits() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        queue.postAll(send(receiver.target(), queue, 0, event(1)));

        processOfHome().kill();

        assertThat(queue.drainAndFlush())
                .singleElement()
                .satisfies(one ->
                        assertThat(one.status()).isIn(CompletionStatus.ACK_TIMEOUT_ERR, CompletionStatus.WR_UNHANDLED));
        pair.initiator().awaitEvent(AsyncEvent.Type.PEER_LOST);
        kernels.end(1);
    }

    @Rule("S15.51")
    @Test
    void wrongUseIsRefused() {
        var queue = pair.initiator().queue();
        var memory = pair.urma().peerMemory();

        assertThatThrownBy(() -> memory.event("manual", 1, 1))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("has no device 1");
        assertThatThrownBy(() -> memory.event("nothing", 0, 1)).isInstanceOf(UrmaException.class);
        assertThatThrownBy(() -> event(-1))
                .isInstanceOf(UrmaException.class)
                .hasMessageContainingAll("manual", "the library has failed");
        assertThatThrownBy(() -> new WorkRequestList(1, 1).after(event(1)))
                .hasMessageContaining("no request was started");
        var jfr = pair.initiator()
                .context()
                .createJfr(queue.jfc(), JfrConfig.builder().build());
        var list =
                new WorkRequestList(1, 1).receive(0).into(queue.scratch(), 0, 8).after(event(1));
        assertThat(jfr.receive(list)).isZero();
        assertThat(list.refusal()).get().asString().contains("a receive waits for a message");
    }
}
