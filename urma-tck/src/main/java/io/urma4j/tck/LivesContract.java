package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.JettyGroupConfig.Choice;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.RemoteSegment;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random lives of queues: after any sequence of calls, every work request has its one result. */
@EndsWithin(seconds = 300)
public abstract class LivesContract extends Contract {
    private static final boolean FULL = Boolean.getBoolean("urma.full");

    protected LivesContract(String device) {
        super(device);
    }

    private static int walks(int usual, int full) {
        return Patience.amount(FULL ? full : usual, 4);
    }

    /** Runs {@code count} walks, each with its own random source. */
    private static void walk(String purpose, int count, Function<SplittableRandom, Walk> make) {
        for (int i = 0; i < count; i++) {
            Walk walk = make.apply(Seed.randomFor(purpose + " walk " + i));
            try {
                walk.walk();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("walk " + i + ", " + walk.story() + " " + e.getMessage(), e);
            }
        }
    }

    /**
     * S6.8, S6.13, S9.3, S10.1: one result each, in order and in its life; no slot is lost; memory agrees with the
     * results.
     */
    @Rule({"S6.2", "S6.4", "S6.7", "S6.8", "S6.10", "S6.11", "S6.13", "S8.5", "S9.3", "S10.1"})
    @ParameterizedTest
    @EnumSource(
            value = TransportMode.class,
            names = {"RM", "RC"})
    void bookIsBalancedWhateverIsDoneToAQueue(TransportMode mode) {
        RemoteSegment revoked = pair.importedAndRevoked(4096);
        walk(mode.toString(), walks(12, 400), random -> new QueueWalk(pair, mode, revoked, random));
    }

    /** S6.10: the same where failures suspend: held work is restarted in order, or flushed. */
    @Rule({"S6.4", "S6.7", "S6.8", "S6.10", "S6.11", "S6.13", "S7.8", "S9.3", "S10.1", "S12.1", "S12.4"})
    @ParameterizedTest
    @EnumSource(
            value = TransportMode.class,
            names = {"RM", "RC"})
    void bookIsBalancedWhereFailuresSuspend(TransportMode mode) {
        RemoteSegment revoked = pair.importedAndRevoked(4096);
        walk(mode + " suspension", walks(6, 150), random -> new SuspensionWalk(pair, mode, revoked, random));
    }

    /**
     * S5.5: through all changes of its members, a message to a group is received once, whole and in order, or fails.
     */
    @Rule({"S5.5", "S6.5", "S6.8", "S6.9", "S8.9", "S10.1", "S12.1"})
    @ParameterizedTest
    @EnumSource(Choice.class)
    void messageToAGroupIsReceivedOnce(Choice choice) {
        walk(choice.toString(), walks(6, 100), random -> new GroupWalk(pair, choice, random));
    }

    /** S10.5: the same where JFCs overflow: flush returns what found no place, and new JFCs continue. */
    @Rule({"S6.2", "S6.7", "S6.8", "S8.5", "S9.3", "S10.1", "S10.5", "S10.7"})
    @Test
    void bookIsBalancedWhereJfcsOverflow() {
        RemoteSegment revoked = pair.importedAndRevoked(4096);
        try (var _ = Warnings.alone(Jfc.class, warning -> {})) { // S10.6: of each of these JFCs
            walk("overflow", walks(8, 400), random -> new OverflowWalk(pair, revoked, random));
        }
    }

    /** S6.7: also when flush itself meets the failure: what is posted behind others may wait for the next look. */
    @Rule("S6.7")
    @Test
    void flushRightBehindAFailureHasNothingBeforeTheMarker() {
        var revoked = pair.importedAndRevoked(4096);
        var elsewhere = pair.anotherInitiator().asHome().receiver(); // a write waits for messages to its own home
        var unready = pair.initiator().context().importJetty(elsewhere.shared());
        for (int round = 0; round < 20; round++) {
            var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build());
            queue.jfs().send(unready, queue.scratch(), 0, 8, 0);
            queue.within(Duration.ZERO);
            queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 1);
            queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 2);

            assertThat(queue.drainThenFlush())
                    .extracting(SendSide.Result::userContext)
                    .containsExactlyInAnyOrder(0L, 1L, 2L);
            queue.jfs().close();
        }
    }

    /** A queue whose JFC has overflowed, drained, flushed, and with its records polled. */
    private SendSide overflowed() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(16).build(), JfcConfig.DEFAULT.withDepth(4));
        for (int i = 0; i < 8 && queue.jfc().isValid(); i++) {
            queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, i);
        }
        Patience.await("the overflow", () -> !queue.jfc().isValid());
        queue.awaitCompletions(4);
        Patience.await("the rest", () -> !queue.jfs().flushAll().isEmpty());
        return queue;
    }

    /** S10.5: a JFC that has overflowed stays invalid: its queue can be reset, but not made READY. */
    @Rule({"S10.5", "S6.2", "S2.2"})
    @Test
    void queueOfAnOverflowedJfcIsNotRevived() {
        var queue = overflowed();
        queue.jfs().modify(QueueState.RESET);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().modify(QueueState.READY))
                .hasMessageContaining(queue.jfc().toString());

        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
        queue.jfs().close();
        queue.jfc().close();
    }

    /** S10.5: a new queue on it is refused, and the attempt leaves none behind. */
    @Rule({"S10.5", "S2.2"})
    @Test
    void noQueueIsMadeForAnOverflowedJfc() {
        var queue = overflowed();
        var context = pair.initiator().context();
        var valid = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(valid, JfrConfig.builder().build());

        assertRefused(UrmaStatus.EINVAL, () -> context.createJfs(queue.jfc(), JfsConfig.DEFAULT))
                .hasMessageContaining("overflowed");
        assertRefused(
                UrmaStatus.EINVAL,
                () -> context.createJfr(queue.jfc(), JfrConfig.builder().build()));
        assertRefused(UrmaStatus.EINVAL, () -> context.createJetty(valid, jfr, JfsConfig.DEFAULT, queue.jfc()));

        queue.jfs().close();
        queue.jfc().close();
        jfr.close();
        valid.close();
    }

    /** S10.5, S8.5: a work request that wants its record there is refused, and the queue continues. */
    @Rule({"S10.5", "S8.5", "S7.8"})
    @Test
    void workRequestThatNamesAnOverflowedJfcIsRefused() {
        var overflowed = overflowed().jfc();
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 8);
        var list = new WorkRequestList(1, 1)
                .write(imported.remote(), 0, 1)
                .from(queue.scratch(), 0, 8)
                .recordTo(overflowed);

        assertThat(queue.jfs().post(list)).isZero();

        assertThat(list.refusal())
                .hasValueSatisfying(e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));
        assertThat(queue.write(imported.remote(), 64, queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(imported.home().isZero(0, 8)).isTrue();
    }

    /** S10.5: a queue in RESET stays there, and an RC Jetty is not bound any more. */
    @Rule({"S10.5", "S5.7", "S6.2"})
    @Test
    void unboundJettyOfAnOverflowedJfcStaysInReset() {
        var context = pair.initiator().context();
        var imported = pair.imported(4096);
        var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(4));
        var receives = context.createJfr(context.createJfc(JfcConfig.DEFAULT), Pair.RC_RECEIVE);
        var jetty = context.createJetty(jfc, receives, Pair.RC_SEND);
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        var sibling = new SendSide(context, jfc, context.createJfs(jfc, JfsConfig.DEFAULT));

        sibling.postWrites(imported.remote(), 5);

        Patience.await("the overflow", () -> !jfc.isValid());
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        var target = context.importJetty(there.shared());
        assertRefused(UrmaStatus.EINVAL, () -> jetty.bind(target)).hasMessageContaining(jfc.toString());
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        assertThat(jetty.boundTarget()).isEmpty();
        jetty.close();
    }

    /** S10.5: nor is a JFR READY again. */
    @Rule({"S10.5", "S6.2"})
    @Test
    void receiveQueueOfAnOverflowedJfcIsNotRevived() {
        var receiver = pair.imported(pair.home().receiver(JfrConfig.builder().build(), 4), 4096);
        receiver.receive(8, 64, 0);
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(1).build());
        for (int i = 0; i < 5; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        Patience.await("ERROR", () -> receiver.queue().receiveState() == ReceiveState.ERROR);
        receiver.queue().modifyReceive(ReceiveState.RESET);

        assertRefused(UrmaStatus.EINVAL, () -> receiver.queue().modifyReceive(ReceiveState.READY))
                .hasMessageContaining("overflowed");

        assertThat(receiver.queue().receiveState()).isEqualTo(ReceiveState.RESET);
        assertThat(receiver.queue().nextOnes(4)).allMatch(Outcome::isSuccess);
    }
}
