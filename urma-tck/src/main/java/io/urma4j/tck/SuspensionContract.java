package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** SEMANTICS §6, S6.10: failures that suspend a queue, and what it holds meanwhile. */
public abstract class SuspensionContract extends Contract {
    private static final JfsConfig SUSPENDING = JfsConfig.builder()
            .errorSuspend(true)
            .rnrRetry(1)
            .timeout(Duration.ofMillis(300))
            .build();

    private static final int LONG_BYTES = Patience.amount(48 << 20, 4 << 20);

    protected SuspensionContract(String device) {
        super(device);
    }

    /** S6.10: a receiver that is not ready suspends, and held work arrives in order when the queue is READY again. */
    @Rule({"S6.10", "S6.8"})
    @Test
    void receiverThatIsNotReadySuspendsAndTheRestArrivesLater() {
        var receiver = pair.receiver(64 * 1024);
        var queue = pair.initiator().queue(SUSPENDING);
        for (int i = 0; i < 5; i++) {
            queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, 8, i, i);
        }

        var outcomes = queue.untilSuspended();
        assertThat(outcomes).hasSize(2);
        assertThat(outcomes.getFirst())
                .returns(0L, Outcome::userContext)
                .returns(CompletionStatus.RNR_RETRY_CNT_EXC_ERR, Outcome::status);
        assertThat(outcomes.getLast()).returns(0L, Outcome::userContext); // S6.13: markers carry none
        assertThat(queue.jfs().state()).isEqualTo(QueueState.SUSPENDED);
        receiver.receive(8, 64, 0);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();

        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletions(4))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(receiver.queue().nextOnes(4))
                .extracting(o -> o.immediate().orElse(-1))
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S6.10: the same in the middle of a connection. */
    @Rule("S6.10")
    @Test
    void connectionIsSuspendedAndResumed() {
        var connection = pair.connection(
                Pair.RC_SEND.toBuilder().errorSuspend(true).rnrRetry(0).build());
        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        var queue = connection.queue();
        queue.jfs().send(null, queue.scratch(), 0, 8, 1);
        assertThat(queue.untilSuspended().getFirst().status()).isEqualTo(CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        queue.jfs().send(null, queue.scratch(), 0, 16, 2);
        connection.there().receive(buffer, 0, 64, 9);

        connection.here().modify(QueueState.READY);

        assertThat(queue.awaitCompletion()).returns(2L, Outcome::userContext).matches(Outcome::isSuccess);
        assertThat(connection.there().next()).returns(16L, Outcome::lengthBytes);
    }

    /** S6.10: flush returns the held work requests, unexecuted, and the queue continues without them. */
    @Rule({"S6.10", "S6.8"})
    @Test
    void flushTakesOutWhatASuspensionHolds() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(SUSPENDING);
        for (int i = 0; i < 5; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        queue.untilSuspended();

        assertThat(queue.jfs().flushAll())
                .allMatch(c -> c.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(Completion::userContext)
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.SUSPENDED);

        queue.jfs().modify(QueueState.READY);
        receiver.receive(4, 64, 0);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next()).returns(16L, Outcome::lengthBytes);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S6.10, S9.3: flushed slots are free, however full the queue was. */
    @Rule({"S6.10", "S9.3"})
    @Test
    void flushedSlotsAreFree() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(SUSPENDING.toBuilder().depth(8).build(), JfcConfig.DEFAULT.withDepth(16));
        int depth = queue.jfs().depth();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < depth; i++) {
                assertThat(queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i))
                        .as("round " + round + ", send " + i)
                        .isTrue();
            }
            queue.untilSuspended();
            assertThat(queue.jfs().flushAll()).hasSize(depth - 1);
            queue.jfs().modify(QueueState.READY);
        }
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S6.8, S9.3: a flush lets a result behind it become a record; later posts do not take its place, nor its context. */
    @Rule({"S6.8", "S6.10", "S9.3"})
    @Test
    void recordThatAFlushLetsThroughKeepsItsContext() {
        var slow = pair.receiver(
                4096, JfrConfig.builder().minRnrTimer(Duration.ofMillis(491)).build());
        var quick = pair.receiver(
                4096, JfrConfig.builder().minRnrTimer(Duration.ofMillis(1)).build());
        var patient = SUSPENDING.toBuilder().timeout(Patience.LIMIT).depth(4).build();
        var queue = pair.initiator().queue(patient, JfcConfig.DEFAULT.withDepth(16));
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().send(quick.target(), queue.scratch(), 0, 8, 2); // fails first, and waits for its turn
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 3);
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 4);
        assertThat(queue.untilSuspended()).hasSize(1);
        CompletionBatch flushed = new CompletionBatch(1);

        for (long held : new long[] {1, 3, 4}) {
            assertThat(queue.jfs().flush(flushed)).isEqualTo(1);
            assertThat(flushed.userContext(0)).isEqualTo(held);
        }
        int posted = 0;
        while (posted < 4 && queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 5 + posted)) {
            posted++;
        }

        assertThat(queue.awaitCompletion())
                .returns(2L, Outcome::userContext)
                .returns(CompletionStatus.RNR_RETRY_CNT_EXC_ERR, Outcome::status);
        assertThat(queue.jfs().flushAll()).hasSize(posted);
        assertThat(queue.within(Duration.ZERO)).isEmpty();
    }

    /** S6.10, S8.9: a work request in the slot of a flushed one is sent behind those that were held before. */
    @Rule({"S6.10", "S8.9"})
    @Test
    void whatTakesAFlushedSlotIsSentInItsTurn() {
        var receiver = pair.receiver(4096);
        receiver.receive(16, 64, 0);
        var queue =
                pair.initiator().queue(JfsConfig.DEFAULT.toBuilder().depth(8).build());
        int depth = queue.jfs().depth();
        queue.suspend();
        for (int i = 0; i < depth; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }

        assertThat(queue.jfs().flush(new CompletionBatch(1))).isEqualTo(1);
        assertThat(queue.jfs().send(receiver.target(), queue.scratch(), 0, 16, depth))
                .isTrue();
        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletions(depth))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .isSorted();
        assertThat(receiver.queue().next()).returns(8L, Outcome::lengthBytes);
    }

    /** S6.10: before the marker, flush returns nothing. */
    @Rule({"S6.10", "S6.7"})
    @Test
    void flushHasNothingBeforeTheMarkerOfTheSuspension() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(SUSPENDING);
        for (int i = 0; i < 3; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        Patience.await("the suspension", () -> queue.jfs().state() == QueueState.SUSPENDED);

        assertThat(queue.jfs().flush(new CompletionBatch(4))).isZero();
        queue.untilSuspended();
        assertThat(queue.jfs().flushAll()).extracting(Completion::userContext).containsExactly(1L, 2L);
    }

    /** S6.10: also when everything before the marker was polled. */
    @Rule({"S6.10", "S6.7"})
    @Test
    void flushHasNothingBeforeTheMarkerThatFollowsPolledRecords() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.write(imported.remote(), 0, queue.scratch(), 0, 8);
        queue.jfs().modify(QueueState.SUSPENDED);
        queue.postWrites(imported.remote(), 2);

        assertThat(queue.jfs().flush(new CompletionBatch(4))).isZero();
        assertThat(queue.untilSuspended()).hasSize(1);
        assertThat(queue.jfs().flushAll()).extracting(Completion::userContext).containsExactly(0L, 1L);
    }

    /** S6.10: work in flight to other targets ends with its real result. */
    @Rule("S6.10")
    @Test
    void whatWasStartedElsewhereEndsWithItsResult() {
        var slow = pair.receiver( // it gives us time to post the others
                4096, JfrConfig.builder().minRnrTimer(Duration.ofMillis(100)).build());
        var ready = pair.receiver(4096);
        ready.receive(8, 64, 0);
        var queue = pair.initiator().queue(SUSPENDING);
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 2);
        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 3);

        var outcomes = queue.untilSuspended();

        assertThat(outcomes.subList(0, outcomes.size() - 1))
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L);
        assertThat(outcomes.get(1).isSuccess()).isTrue();
        assertThat(queue.jfs().flushAll()).extracting(Completion::userContext).containsExactly(3L);
    }

    /** S6.10: a write behind a message that is held is held too, and changes nothing before it starts. */
    @Rule({"S6.10", "S8.9"})
    @Test
    void writeBehindAHeldMessageIsHeld() {
        var receiver = pair.receiver(4096);
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(SUSPENDING);
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 64);
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 64, 2);
        queue.untilSuspended();
        queue.jfs().write(imported.remote(), 64, queue.scratch(), 0, 64, 3);
        assertThat(imported.home().isZero(0, 4096)).isTrue();

        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletions(2)).extracting(Outcome::userContext).containsExactly(2L, 3L);
        assertThat(imported.home().firstDifference(new Payload(1), 0, 0, 64)).isEqualTo(-1);
        assertThat(imported.home().firstDifference(new Payload(1), 64, 0, 64)).isEqualTo(-1);
    }

    /** S6.10: a failure of another kind leads to ERROR all the same. */
    @Rule({"S6.10", "S6.6"})
    @Test
    void otherFailuresOfASuspendingQueueLeadToError() {
        var revoked = pair.importedAndRevoked(4096);
        var queue = pair.initiator().queue(SUSPENDING);

        queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 1);

        assertThat(queue.untilDrained().getFirst().status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
    }

    /** S6.10: a requested suspension drains, too, and ends with a marker; completed work keeps its result. */
    @Rule({"S6.10", "S6.4"})
    @Test
    void suspensionThatWasAskedForIsMarked() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), 3);

        queue.jfs().modify(QueueState.SUSPENDED);

        var outcomes = queue.untilSuspended();
        assertThat(outcomes.subList(0, outcomes.size() - 1))
                .allMatch(Outcome::isSuccess)
                .hasSize(3);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S6.10: a long message that is suspended half-way arrives once and whole. */
    @Rule("S6.10")
    @Test
    void longMessageThatIsSuspendedArrivesOnceAndWhole() {
        int lengthBytes = LONG_BYTES;
        var receiver = pair.receiver(lengthBytes);
        receiver.queue().receive(receiver.buffer(), 0, lengthBytes, 7);
        var source = pair.initiator().buffer(lengthBytes, new Payload(2));
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        queue.jfs().send(receiver.target(), source, 0, lengthBytes, 1);
        queue.jfs().modify(QueueState.SUSPENDED);
        var drained = queue.untilSuspended();
        queue.jfs().modify(QueueState.READY);

        var outcome = drained.size() == 1 ? queue.awaitCompletion() : drained.getFirst(); // held, or completed
        assertThat(outcome).returns(1L, Outcome::userContext).matches(Outcome::isSuccess);
        assertThat(receiver.queue().next())
                .returns(7L, Outcome::userContext)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(receiver.buffer().firstDifference(new Payload(2), 0, 0, lengthBytes))
                .isEqualTo(-1);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S6.10: if it is abandoned instead, its receiver's buffer takes the next message. */
    @Rule({"S6.10", "S6.8"})
    @Test
    void longMessageThatIsGivenUpLeavesItsBuffer() {
        int lengthBytes = LONG_BYTES;
        var receiver = pair.receiver(lengthBytes);
        receiver.queue().receive(receiver.buffer(), 0, lengthBytes, 7);
        var source = pair.initiator().buffer(lengthBytes, new Payload(2));
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().send(receiver.target(), source, 0, lengthBytes, 1);
        queue.jfs().modify(QueueState.SUSPENDED);
        boolean held = queue.untilSuspended().size() == 1;
        assertThat(queue.jfs().flushAll()).hasSize(held ? 1 : 0);
        queue.jfs().modify(QueueState.READY);
        assumeTrue(held, "the message was faster than its suspension");

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();

        assertThat(receiver.queue().next()).returns(7L, Outcome::userContext).returns(16L, Outcome::lengthBytes);
    }

    /** S6.2, S6.10: from SUSPENDED to ERROR: held work is returned as never started. */
    @Rule({"S6.2", "S6.10", "S6.7"})
    @Test
    void heldWorkIsUnhandledWhenTheSuspendedQueueFails() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.suspend();
        queue.postWrites(imported.remote(), 3);

        queue.jfs().modify(QueueState.ERROR);

        assertThat(queue.drainAndFlush())
                .allMatch(r -> r.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(SendSide.Result::userContext)
                .containsExactly(0L, 1L, 2L);
    }

    /** S6.7, S6.8: the same with an unpolled marker of the suspension: the marker of the error must be polled, too. */
    @Rule({"S6.7", "S6.8", "S6.10"})
    @Test
    void suspensionThatNobodyPolledBecomesAnError() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), 1);
        queue.jfs().modify(QueueState.SUSPENDED);
        for (int i = 1; i < 4; i++) {
            queue.jfs().write(imported.remote(), 64, queue.scratch(), 0, 8, i);
        }

        queue.jfs().modify(QueueState.ERROR);

        var results = queue.drainThenFlush();
        assertThat(results).extracting(SendSide.Result::userContext).containsExactly(0L, 1L, 2L, 3L);
        assertThat(results.subList(1, 4)).allMatch(r -> r.status() == CompletionStatus.WR_UNHANDLED);
        assertThat(imported.home().isZero(64, 8)).isTrue();
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(queue.jfs().flushAll()).isEmpty();
    }

    /** S6.7, S6.8: the same when a failure has suspended the queue. */
    @Rule({"S6.7", "S6.8", "S6.10"})
    @Test
    void failureThatSuspendsThenAnErrorTellEachResultOnce() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(SUSPENDING);
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        Patience.await("the suspension", () -> queue.jfs().state() == QueueState.SUSPENDED);
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 4);

        queue.jfs().modify(QueueState.ERROR);

        var results = queue.drainThenFlush();
        assertThat(results).extracting(SendSide.Result::userContext).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(results.getFirst().status()).isEqualTo(CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(results.getLast().status()).isEqualTo(CompletionStatus.WR_UNHANDLED);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S6.7, S6.8: the same when the suspension still waits for a long message. */
    @Rule({"S6.7", "S6.8", "S6.10"})
    @Test
    void suspensionInTheMiddleOfAMessageBecomesAnError() {
        int lengthBytes = LONG_BYTES;
        var receiver = pair.receiver(lengthBytes);
        receiver.queue().receive(receiver.buffer(), 0, lengthBytes, 7);
        var source = pair.initiator().buffer(lengthBytes);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().send(receiver.target(), source, 0, lengthBytes, 0);
        queue.jfs().modify(QueueState.SUSPENDED);
        queue.jfs().send(receiver.target(), source, 0, 8, 1);

        queue.jfs().modify(QueueState.ERROR);

        var results = queue.drainThenFlush();
        assertThat(results).extracting(SendSide.Result::userContext).containsExactly(0L, 1L);
        assertThat(results.getLast().status()).isEqualTo(CompletionStatus.WR_UNHANDLED);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S6.10, S12.3: a silent peer suspends; work sent to it may have been executed, later work is held. */
    @Rule({"S6.10", "S12.3"})
    @Test
    void silenceOfThePeerSuspends() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(4096);
        receiver.receive(16, 64, 0);
        var queue = pair.initiator().queue(SUSPENDING);

        processOfHome().stop();
        try {
            for (int i = 0; i < 3; i++) {
                queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
            }
            var outcomes = queue.untilSuspended();
            assertThat(outcomes)
                    .extracting(Outcome::status)
                    .containsExactly(
                            CompletionStatus.ACK_TIMEOUT_ERR,
                            CompletionStatus.WR_FLUSH_ERR,
                            CompletionStatus.WR_FLUSH_ERR,
                            CompletionStatus.WR_SUSPEND_DONE);
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 16, 3);
        } finally {
            processOfHome().proceed();
        }
        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletion()).returns(3L, Outcome::userContext).matches(Outcome::isSuccess);
        assertThat(receiver.queue()
                        .within(Patience.stretched(Duration.ofMillis(200)))
                        .getLast())
                .returns(16L, Outcome::lengthBytes);
    }

    /** S6.10: a suspension that was asked for has no marker as long as something is in flight. */
    @Rule({"S6.10", "S6.4"})
    @Test
    void suspensionWaitsForWhatIsInFlight() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 0);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        processOfHome().stop();
        try {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1);
            queue.jfs().modify(QueueState.SUSPENDED);
            assertThat(queue.within(Patience.WATCH)).isEmpty();
        } finally {
            processOfHome().proceed();
        }

        assertThat(queue.untilSuspended())
                .extracting(Outcome::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.WR_SUSPEND_DONE);
    }

    /** S6.10, S12.4: a lost peer suspends. */
    @Rule({"S6.10", "S12.4"})
    @Test
    void deathOfThePeerSuspends() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096);
        var here = pair.initiator().asHome().receiver();
        var buffer = pair.initiator().asHome().segment(4096, Access.READ_WRITE);
        var target = pair.initiator().context().importJetty(here.shared());
        here.receive(buffer, 0, 64, 8);
        var queue = pair.initiator().queue(SUSPENDING.toBuilder().rnrRetry(7).build());
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }

        processOfHome().kill();

        var outcomes = queue.untilSuspended();
        assertThat(outcomes.getFirst())
                .returns(0L, Outcome::userContext)
                .returns(CompletionStatus.ACK_TIMEOUT_ERR, Outcome::status);
        assertThat(outcomes.size() - 1 + queue.jfs().flushAll().size()).isEqualTo(4);
        queue.jfs().modify(QueueState.READY);
        assertThat(queue.send(target, queue.scratch(), 0, 8).isSuccess()).isTrue();
        assertThat(here.next()).returns(8L, Outcome::userContext);
    }

    /** S6.10, S12.4: the loss of a peer does not end held work, which has not begun. */
    @Rule({"S6.10", "S12.4"})
    @Test
    void deathOfThePeerEndsNothingThatIsHeld() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(SUSPENDING);
        queue.suspend();
        for (int i = 0; i < 3; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }
        var witness = pair.initiator().queue();
        witness.jfs().send(receiver.target(), witness.scratch(), 0, 8, 0);

        processOfHome().kill();

        assertThat(witness.awaitCompletion().status()).isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR);
        assertThat(queue.within(Patience.stretched(Duration.ofMillis(200)))).isEmpty();
        assertThat(queue.jfs().flushAll())
                .extracting(Completion::userContext, Completion::status)
                .containsExactly(
                        tuple(0L, CompletionStatus.WR_UNHANDLED),
                        tuple(1L, CompletionStatus.WR_UNHANDLED),
                        tuple(2L, CompletionStatus.WR_UNHANDLED));
    }
}
