package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mode UM, in all sections of SEMANTICS: unreliable messages. */
public abstract class DatagramsContract extends Contract {
    private static final JfsConfig SEND =
            JfsConfig.builder().mode(TransportMode.UM).build();
    private static final JfrConfig RECEIVE =
            JfrConfig.builder().mode(TransportMode.UM).build();

    protected DatagramsContract(String device) {
        super(device);
    }

    @BeforeEach
    void modeExists() {
        assumeTrue(pair.device().attributes().capabilities().modes().contains(TransportMode.UM), "no mode UM here");
    }

    private int mtuBytes() {
        return (int) pair.device().attributes().mtuBytes();
    }

    /** S5.1, S8.1: a datagram of any length up to the MTU arrives as it was sent. */
    @Rule({"S5.1", "S8.1", "S5.4"})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 80, 81, 1500, Integer.MAX_VALUE})
    void datagramArrivesAsItWasSent(int wanted) {
        int lengthBytes = Math.min(wanted, mtuBytes());
        var receiver = pair.receiver(mtuBytes(), RECEIVE);
        receiver.receive(1, mtuBytes(), 7);
        var queue = pair.initiator().queue(SEND);
        var message = pair.initiator().buffer(mtuBytes(), new Payload(1));

        assertThat(queue.send(receiver.target(), message, 0, lengthBytes))
                .matches(Outcome::isSuccess)
                .returns(Opcode.SEND, Outcome::opcode);

        assertThat(receiver.queue().next())
                .returns(true, Outcome::receive)
                .returns(7L, Outcome::userContext)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(receiver.buffer().firstDifference(new Payload(1), 0, 0, lengthBytes))
                .isEqualTo(-1);
        assertThat(receiver.buffer().isZero(lengthBytes, mtuBytes() - lengthBytes))
                .isTrue();
    }

    /** S5.1: also from Jetty to Jetty, with an immediate, and the record names the sender. */
    @Rule({"S5.1", "S8.4", "S10.1", "S6.1"})
    @Test
    void jettiesExchangeDatagramsWithImmediates() {
        var here = (LocalHomeQueue) pair.initiator().asHome().jetty(SEND, RECEIVE);
        var receiver = pair.imported(pair.home().jetty(SEND, RECEIVE), 4096);
        receiver.receive(1, 64, 7);
        var queue = here.sendSide();
        assertThat(here.state()).isEqualTo(QueueState.READY);

        queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, 8, -5, 1);

        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        assertThat(receiver.queue().next())
                .returns(-5L, o -> o.immediate().orElse(0))
                .returns(true, Outcome::jetty)
                .returns(here.id(), o -> o.source().orElseThrow().id());
    }

    /** S5.1: what is longer than the MTU is refused, and nothing is sent. */
    @Rule({"S5.1", "S2.1", "S2.2"})
    @Test
    void datagramBeyondTheMtuIsRefused() {
        var receiver = pair.receiver(4096, RECEIVE);
        receiver.receive(2, 64, 0);
        var queue = pair.initiator().queue(SEND);
        var message = pair.initiator().buffer(mtuBytes() + 1L);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().send(receiver.target(), message, 0, mtuBytes() + 1L, 0))
                .hasMessageContaining("MTU")
                .hasMessageContaining(Integer.toString(mtuBytes()));
        var list = new WorkRequestList(1, 1).send(receiver.target(), 1).from(message, 0, mtuBytes() + 1L);
        assertThat(queue.jfs().post(list)).isZero();
        assertThat(list.refusal())
                .hasValueSatisfying(e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));

        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
    }

    /** S5.1: a UM queue refuses all operations but messages. */
    @Rule({"S5.1", "S2.2"})
    @Test
    void oneSidedOperationsAreRefused() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue(SEND);
        var jfs = queue.jfs();
        var scratch = queue.scratch();

        assertRefused(UrmaStatus.EINVAL, () -> jfs.write(imported.remote(), 0, scratch, 0, 8, 0))
                .hasMessageContaining("UM");
        assertRefused(UrmaStatus.EINVAL, () -> jfs.write(imported.remote(), 0, scratch, 0, 0, 0));
        assertRefused(UrmaStatus.EINVAL, () -> jfs.read(imported.remote(), 0, scratch, 0, 8, 0));
        assertRefused(UrmaStatus.EINVAL, () -> jfs.fetchAndAdd(imported.remote(), 0, scratch, 0, 1, 0));
        assertRefused(UrmaStatus.EINVAL, () -> jfs.compareAndSwap(imported.remote(), 0, scratch, 0, 0, 1, 0));
        assertThat(imported.home().isZero(0, 4096)).isTrue();
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S5.1: nor are there the other opcodes of a list. */
    @Rule({"S5.1", "S9.1"})
    @Test
    void listsOfOtherOpcodesAreRefused() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096, RECEIVE);
        var queue = pair.initiator().queue(SEND);
        var scratch = queue.scratch();

        for (WorkRequestList list : List.of(
                new WorkRequestList(1, 1)
                        .sendInvalidate(receiver.target(), 1, 0)
                        .from(scratch, 0, 8),
                new WorkRequestList(1, 1).nop(0),
                new WorkRequestList(1, 1).write(imported.remote(), 0, 0).from(scratch, 0, 8),
                new WorkRequestList(1, 1)
                        .writeImmediate(receiver.target(), imported.remote(), 0, 1, 0)
                        .from(scratch, 0, 8),
                new WorkRequestList(1, 1)
                        .writeNotify(imported.remote(), 0, imported.remote(), 8, 1, 0)
                        .from(scratch, 0, 8))) {
            assertThat(queue.jfs().post(list)).isZero();
            assertThat(list.refusal()).hasValueSatisfying(e -> assertThat(e).hasMessageContaining("UM"));
        }
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> queue.jfs()
                                .send(
                                        Opcode.SEND_INVALIDATE,
                                        receiver.target(),
                                        scratch,
                                        0,
                                        8,
                                        1,
                                        0,
                                        PostFlags.DEFAULT))
                .hasMessageContaining("UM");
    }

    /** S8.6: datagrams are unordered, so a fence is refused. */
    @Rule("S8.6")
    @Test
    void fenceIsRefused() {
        var receiver = pair.receiver(4096, RECEIVE);
        var queue = pair.initiator().queue(SEND);
        var fenced = PostFlags.DEFAULT.fenced();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> queue.jfs().send(Opcode.SEND, receiver.target(), queue.scratch(), 0, 8, 0, 0, fenced))
                .hasMessageContaining("fence");
        var list = new WorkRequestList(1, 1)
                .send(receiver.target(), 0)
                .from(queue.scratch(), 0, 8)
                .flags(fenced);
        assertThat(queue.jfs().post(list)).isZero();
    }

    /** S8.6: nothing is placed in an order, and no record keeps one in a queue that has none. */
    @Rule("S8.6")
    @Test
    void ordersOfPlacementAndCompletionAreRefused() {
        var receiver = pair.receiver(4096, RECEIVE);
        receiver.receive(1, 64, 0);
        var queue = pair.initiator().queue(SEND);
        var unordered = pair.initiator()
                .queue(SEND.toBuilder().outOfOrderCompletion(true).build());
        PostFlags inOrder = PostFlags.DEFAULT.completedInOrder();

        for (PostFlags placed : List.of(PostFlags.DEFAULT.relaxed(), PostFlags.DEFAULT.strong())) {
            assertRefused(UrmaStatus.EINVAL, () -> post(queue, receiver.target(), placed))
                    .hasMessageContaining("place_order");
        }
        assertRefused(UrmaStatus.EINVAL, () -> post(unordered, receiver.target(), inOrder))
                .hasMessageContaining("comp_order");
        assertThat(post(queue, receiver.target(), inOrder)).isTrue();
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
    }

    private static boolean post(SendSide queue, TargetJetty target, PostFlags flags) {
        return queue.jfs().send(Opcode.SEND, target, queue.scratch(), 0, 8, 0, 0, flags);
    }

    /** S8.8, S5.1: a datagram names its target, which takes datagrams. */
    @Rule({"S8.8", "S5.1"})
    @Test
    void targetMustBeThereAndOfTheSameMode() {
        var datagrams = pair.receiver(4096, RECEIVE);
        var messages = pair.receiver(4096);
        var um = pair.initiator().queue(SEND);
        var rm = pair.initiator().queue();

        assertRefused(UrmaStatus.EINVAL, () -> um.jfs().send(null, um.scratch(), 0, 8, 0))
                .hasMessageContaining("target");
        assertRefused(UrmaStatus.EINVAL, () -> um.jfs().send(messages.target(), um.scratch(), 0, 8, 0))
                .hasMessageContaining("RM");
        assertRefused(UrmaStatus.EINVAL, () -> rm.jfs().send(datagrams.target(), rm.scratch(), 0, 8, 0))
                .hasMessageContaining("UM");
    }

    /** S12.1: without a receive work request it is dropped, and counted there; the sender does not wait. */
    @Rule({"S12.1", "S8.1"})
    @Test
    void datagramWithoutReceiveIsDroppedAndCounted() {
        var receiver = pair.receiver(4096, RECEIVE);
        var queue = pair.initiator().queue(SEND);

        for (int i = 1; i <= 3; i++) {
            assertThat(queue.send(receiver.target(), queue.scratch(), 0, i).isSuccess())
                    .isTrue();
        }
        Patience.await("three drops", () -> receiver.queue().counter("dropped") == 3);

        receiver.receive(2, 64, 5);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next()).returns(5L, Outcome::userContext).returns(16L, Outcome::lengthBytes);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
        assertThat(receiver.queue().counter("dropped")).isEqualTo(3);
    }

    /** S6.5, S12.1: a queue that is not READY drops datagrams, too; the sender does not learn of it. */
    @Rule({"S6.5", "S12.1"})
    @ParameterizedTest
    @EnumSource(
            value = ReceiveState.class,
            names = {"RESET", "ERROR"})
    void receiverThatIsNotReadyDrops(ReceiveState state) {
        var receiver = pair.receiver(4096, RECEIVE);
        receiver.receive(1, 64, 0);
        receiver.queue().modifyReceive(state);
        var queue = pair.initiator().queue(SEND);

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();

        Patience.await("the drop", () -> receiver.queue().counter("dropped") == 1);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S10.3: a datagram longer than its receive is reported only to the receiver. */
    @Rule("S10.3")
    @Test
    void datagramTooLongIsToldToItsReceiverAlone() {
        var receiver = pair.receiver(4096, RECEIVE);
        receiver.receive(2, 16, 3);
        var queue = pair.initiator().queue(SEND);
        new Payload(2).fill(queue.scratch().memory(), 0, 0, 64);

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 17).isSuccess())
                .isTrue();

        assertThat(receiver.queue().next())
                .returns(CompletionStatus.LOC_LEN_ERR, Outcome::status)
                .returns(3L, Outcome::userContext);
        assertThat(receiver.buffer().isZero(16, 4080)).isTrue();
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next()).matches(Outcome::isSuccess).returns(4L, Outcome::userContext);
    }

    /**
     * S8.9: datagrams arrive in any order, each at most once, and all of them while there is room and no network that
     * loses some; results are in order.
     */
    @Rule({"S8.9", "S10.1", "S9.2"})
    @Test
    void datagramsArriveAtMostOnceEach() {
        int count = 2000;
        var receiver = pair.receiver(
                256 * 1024,
                JfrConfig.builder().mode(TransportMode.UM).depth(4096).build());
        receiver.receive(count, 64, 0);
        var queue = pair.initiator().queue(SEND.toBuilder().depth(256).build(), JfcConfig.DEFAULT);
        List<Long> results = new ArrayList<>();
        List<Long> received = new ArrayList<>();

        for (int i = 0; i < count; i++) {
            int number = i;
            Patience.await("room for datagram " + i, () -> {
                queue.within(Duration.ZERO).forEach(o -> results.add(o.userContext()));
                return queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, 8, number, number);
            });
            if (i % 500 == 499) { // the home's own JFC must not overflow
                receiver.queue()
                        .within(Patience.WATCH)
                        .forEach(o -> received.add(o.immediate().orElse(-1)));
            }
        }
        Patience.await("all results", () -> {
            queue.within(Duration.ZERO).forEach(o -> results.add(o.userContext()));
            return results.size() == count;
        });
        receiver.queue()
                .within(Patience.stretched(Duration.ofMillis(100)))
                .forEach(o -> received.add(o.immediate().orElse(-1)));

        assertThat(results)
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        assertThat(received).doesNotHaveDuplicates();
        long known = received.size() + receiver.queue().counter("dropped");
        if (reportsLosses()) {
            assertThat(known).isEqualTo(count);
        } else {
            assertThat(known).isBetween(1L, (long) count);
        }
    }

    /** A network does not report what it loses. */
    private boolean reportsLosses() {
        return pair.device().attributes().capabilities().mappable();
    }

    /** A sender of datagrams into a network does not learn whether they arrive. */
    private void needsToKnowOfLosses() {
        assumeTrue(reportsLosses(), "a network does not report what it loses");
    }

    /** S12.4, S8.1: to a peer that is gone, datagrams are lost, and that is no error. */
    @Rule({"S12.4", "S8.1"})
    @Test
    void datagramsToADeadPeerAreLost() {
        needsToKnowOfLosses();
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096, RECEIVE);
        var queue = pair.initiator().queue(SEND);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();

        processOfHome().kill();
        Patience.await(
                "a loss",
                () -> queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess()
                        && queue.jfs().counters().get("dropped") > 0);

        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S12.3, S12.6: a peer that is stopped takes no datagrams, and its senders wait no longer than the timeout. */
    @Rule({"S12.3", "S12.6"})
    @Test
    void stoppedPeerLosesDatagramsAfterTheTimeout() {
        needsToKnowOfLosses();
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(mtuBytes(), RECEIVE);
        var queue = pair.initiator()
                .queue(
                        SEND.toBuilder()
                                .timeout(Duration.ofMillis(200))
                                .depth(8192)
                                .build(),
                        JfcConfig.DEFAULT.withDepth(8192));
        int count = 5000; // more than lie in the network

        processOfHome().stop();
        try {
            for (int i = 0; i < count; i++) {
                assertThat(queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i))
                        .isTrue();
            }
            Patience.await("a loss", () -> {
                assertThat(queue.within(Duration.ofMillis(10))).allMatch(Outcome::isSuccess);
                return queue.jfs().counters().get("dropped") > 0;
            });
        } finally {
            processOfHome().proceed();
        }
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S5.7: only RC Jetties are bound. */
    @Rule("S5.7")
    @Test
    void jettyOfModeUmIsNotBound() {
        var here = pair.initiator().asHome().jetty(SEND, RECEIVE);
        var there = pair.home().jetty(SEND, RECEIVE);

        assertRefused(UrmaStatus.ENOPERM, () -> here.bind(there.shared())).hasMessageContaining("UM");
    }
}
