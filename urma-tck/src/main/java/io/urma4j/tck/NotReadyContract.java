package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §12: receivers that are not ready, slow, stopped or gone. */
public abstract class NotReadyContract extends Contract {
    protected NotReadyContract(String device) {
        super(device);
    }

    /** S12.1: after the allowed number of retries the send fails, because the receiver was not ready. */
    @Rule({"S12.1", "S10.2"})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void senderHearsThatTheReceiverWasNotReady(int rounds) {
        var receiver = pair.receiver(
                4096, JfrConfig.builder().minRnrTimer(Duration.ofMillis(2)).build());
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(rounds).build());
        long start = System.nanoTime();

        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 5);

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.RNR_RETRY_CNT_EXC_ERR, Outcome::status)
                .returns(5L, Outcome::userContext);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(2L * rounds));
        receiver.receive(1, 64, 0);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S12.1, S2.2: a timer that no sender can be asked for is refused, and not cut; the requested id stays free. */
    @Rule({"S12.1", "S2.2"})
    @Test
    void timerThatTheDeviceCannotAskForIsRefused() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.createJfr(
                                jfc,
                                JfrConfig.builder()
                                        .id(5000)
                                        .minRnrTimer(Duration.ofMinutes(1))
                                        .build()))
                .hasMessageContaining("minRnrTimer PT1M");
        var jfr = context.createJfr(jfc, JfrConfig.builder().id(5000).build());

        assertThat(jfr.id()).isEqualTo(5000);
        jfr.close();
        jfc.close();
    }

    /** S12.1: 7 means without limit. */
    @Rule("S12.1")
    @Test
    void senderWithoutLimitWaitsUntilTheReceiverIsReady() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(7).build());
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 8);
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 5);

        assertThat(queue.within(Patience.stretched(Duration.ofMillis(200)))).isEmpty();
        receiver.receive(1, 64, 9);

        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        assertThat(receiver.queue().next()).returns(9L, Outcome::userContext);
        assertThat(receiver.buffer().firstDifference(new Payload(1), 0, 0, 8)).isEqualTo(-1);
    }

    /** S12.1: a long message waits as a short one does, and arrives whole. */
    @Rule("S12.1")
    @Test
    void longMessageWaitsToo() {
        int lengthBytes = 5 << 20;
        var receiver = pair.receiver(lengthBytes);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(lengthBytes, new Payload(2));
        queue.jfs().send(receiver.target(), source, 0, lengthBytes, 5);
        assertThat(queue.within(Patience.WATCH)).isEmpty();

        receiver.receive(1, lengthBytes, 9);

        assertThat(receiver.queue().next()).returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        assertThat(receiver.buffer().firstDifference(new Payload(2), 0, 0, lengthBytes))
                .isEqualTo(-1);
    }

    /** S8.9: a queue is one target, however often it was imported. */
    @Rule("S8.9")
    @Test
    void messageByAnotherImportDoesNotBreakALongOne() {
        int lengthBytes = 4 << 20;
        var receiver = pair.receiver(2L * lengthBytes);
        var again = pair.initiator().context().importJetty(receiver.queue().shared());
        receiver.receive(2, lengthBytes, 8);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(lengthBytes, new Payload(6));

        queue.jfs().send(receiver.target(), source, 0, lengthBytes, 1);
        queue.jfs().send(again, source, 0, 16, 2);

        assertThat(receiver.queue().nextOnes(2))
                .extracting(Outcome::lengthBytes)
                .containsExactly((long) lengthBytes, 16L);
        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
        assertThat(receiver.buffer().firstDifference(new Payload(6), 0, 0, lengthBytes))
                .isEqualTo(-1);
    }

    /** S8.9: nor does a message by another import pass one that found no receive work request. */
    @Rule({"S8.9", "S12.1"})
    @Test
    void messageByAnotherImportWaitsForOneThatFoundNoReceive() {
        var receiver = pair.receiver(
                4096, JfrConfig.builder().minRnrTimer(Duration.ofMillis(200)).build());
        var again = pair.initiator().context().importJetty(receiver.queue().shared());
        var queue = pair.initiator().queue();
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 16, 1);
        Patience.await(
                "the news that the receiver is not ready",
                () -> queue.jfs().counters().get("notReady") > 0);

        receiver.receive(2, 64, 8);
        queue.jfs().send(again, queue.scratch(), 0, 8, 2);

        assertThat(receiver.queue().nextOnes(2))
                .extracting(Outcome::lengthBytes)
                .containsExactly(16L, 8L);
        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
    }

    /** S6.7, S6.8: flush does not return a request that overtook an unstarted message and has its record. */
    @Rule({"S6.7", "S6.8"})
    @Test
    void flushReturnsNothingThatHasItsRecord() {
        var busy = pair.receiver(4096);
        var ready = pair.receiver(4096);
        ready.receive(1, 64, 9);
        var queue = pair.initiator().queue();
        queue.jfs().send(busy.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 2);
        assertThat(ready.queue().next()).returns(9L, Outcome::userContext);

        queue.jfs().modify(QueueState.ERROR);

        assertThat(queue.drainAndFlush())
                .extracting(SendSide.Result::userContext)
                .containsExactlyInAnyOrder(1L, 2L);
    }

    /** S8.9: a message behind a write that waits does not overtake it, though its own target is ready. */
    @Rule("S8.9")
    @Test
    void messageDoesNotOvertakeAWriteThatWaits() {
        var busy = pair.receiver(4096);
        var ready = pair.receiver(4096);
        var imported = pair.imported(4096);
        ready.receive(1, 64, 9);
        var queue = pair.initiator().queue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, 64);
        queue.jfs().send(busy.target(), queue.scratch(), 0, 8, 1);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 64, 2);
        queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 3);

        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(ready.queue().within(Patience.WATCH)).isEmpty();

        busy.receive(1, 64, 8);
        assertThat(ready.queue().next()).returns(9L, Outcome::userContext);
        assertThat(imported.home().firstDifference(new Payload(4), 0, 0, 64)).isEqualTo(-1);
        assertThat(queue.awaitCompletions(3)).extracting(Outcome::userContext).containsExactly(1L, 2L, 3L);
    }

    /** S8.1, S12.6: messages, small and large, are received promptly while no thread of the receiver polls. */
    @Rule({"S8.1", "S12.6"})
    @ParameterizedTest
    @ValueSource(ints = {8, 64 * 1024, 2 << 20, 24 << 20})
    void messageIsTakenThoughItsReceiverDoesNotPoll(int lengthBytes) {
        Patience.assumeCarried(lengthBytes);
        var receiver = pair.receiver(lengthBytes);
        var queue = pair.initiator().queue();
        receiver.queue().receive(receiver.buffer(), 0, lengthBytes, 7);
        var source = pair.initiator().buffer(lengthBytes, new Payload(3));
        long start = System.nanoTime();

        assertThat(queue.send(receiver.target(), source, 0, lengthBytes).isSuccess())
                .isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.stretched(Duration.ofSeconds(2)));
        assertThat(receiver.queue().next()).returns(7L, Outcome::userContext);
        assertThat(receiver.buffer().firstDifference(new Payload(3), 0, 0, lengthBytes))
                .isEqualTo(-1);
    }

    /** S12.1: no other queue waits for a receiver that is not ready, not even to the same home. */
    @Rule("S12.1")
    @Test
    void otherQueuesGoOn() {
        var slow = pair.receiver(4096);
        var ready = pair.receiver(4096);
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        ready.receive(16, 64, 0);
        var waiting = pair.initiator().queue(JfsConfig.DEFAULT);
        waiting.jfs().send(slow.target(), waiting.scratch(), 0, 8, 1);

        var other = pair.initiator().queue();
        for (int i = 0; i < 16; i++) {
            assertThat(other.send(ready.target(), other.scratch(), 0, 8).isSuccess())
                    .isTrue();
        }
        assertThat(other.write(imported.remote(), 0, other.scratch(), 0, 8).isSuccess())
                .isTrue();

        assertThat(ready.queue().nextOnes(16)).allMatch(Outcome::isSuccess);
        assertThat(waiting.within(Patience.WATCH)).isEmpty();
        slow.receive(1, 64, 0);
        assertThat(waiting.awaitCompletion().isSuccess()).isTrue();
    }

    /** S12.1: messages of the same queue to another target do not wait. */
    @Rule("S12.1")
    @Test
    void otherTargetsOfTheSameQueueGoOn() {
        var slow = pair.receiver(4096);
        var ready = pair.receiver(4096);
        ready.receive(4, 64, 10);
        var queue = pair.initiator().queue();

        queue.jfs().send(slow.target(), queue.scratch(), 0, 8, 1);
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 2 + i);
        }

        assertThat(ready.queue().nextOnes(4)).extracting(Outcome::userContext).containsExactly(10L, 11L, 12L, 13L);
        slow.receive(1, 64, 0);
        assertThat(queue.awaitCompletions(5)) // S10.1: reported in order all the same
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    /** S12.1: messages behind one that waits keep their order, and none is duplicated. */
    @Rule({"S12.1", "S8.9"})
    @Test
    void messagesBehindOneThatWaitsKeepTheirOrder() {
        var receiver = pair.receiver(64 * 1024);
        var queue = pair.initiator().queue();
        for (int i = 0; i < 100; i++) {
            queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, i, i, i);
        }

        for (int i = 0; i < 100; i++) {
            receiver.queue().receive(receiver.buffer(), 0, 128, i);
            assertThat(receiver.queue().next())
                    .returns((long) i, Outcome::userContext)
                    .returns((long) i, o -> o.immediate().orElse(-1))
                    .returns((long) i, Outcome::lengthBytes);
        }

        assertThat(queue.awaitCompletions(100))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(LongStream.range(0, 100).boxed().toList());
        receiver.receive(1, 64, 500);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S12.1: a sender that gives up leaves the messages behind it unhandled, and does not disturb its peer. */
    @Rule({"S12.1", "S6.8"})
    @Test
    void senderThatGaveUpReturnsTheMessagesBehind() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(2).build());
        for (int i = 0; i < 5; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }

        var results = queue.drainAndFlush();

        assertThat(results).extracting(SendSide.Result::userContext).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(results.getFirst().status()).isEqualTo(CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(results.subList(1, 5))
                .extracting(SendSide.Result::status)
                .isSubsetOf(CompletionStatus.WR_FLUSH_ERR, CompletionStatus.WR_UNHANDLED);
        receiver.receive(4, 64, 0);
        var fresh = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(fresh.send(receiver.target(), fresh.scratch(), 0, 16).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next().lengthBytes()).isEqualTo(16);
    }

    /** S12.1: a WRITE_IMM without a receive waits, and then reports. */
    @Rule("S12.1")
    @Test
    void writeWithImmediateWaitsForAReceive() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, 64);
        queue.postAll(new WorkRequestList(1, 1)
                .writeImmediate(receiver.target(), imported.remote(), 0, 42, 1)
                .from(queue.scratch(), 0, 64));
        assertThat(queue.within(Patience.WATCH)).isEmpty();

        receiver.receive(1, 0, 8);

        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        assertThat(receiver.queue().next())
                .returns(8L, Outcome::userContext)
                .returns(42L, o -> o.immediate().orElse(-1));
        assertThat(imported.home().firstDifference(new Payload(4), 0, 0, 64)).isEqualTo(-1);
    }

    /** S12.3: a peer that was stopped for a while and continues loses nothing and duplicates nothing. */
    @Rule("S12.3")
    @Test
    void pauseOfThePeerLosesNothing() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(64 * 1024);
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        receiver.receive(64, 64, 0);
        var queue = pair.initiator().queue();
        var other = pair.initiator().queue(JfsConfig.DEFAULT);

        boolean needsNobody = pair.device().attributes().capabilities().oneSided();

        processOfHome().stop();
        try {
            for (int i = 0; i < 32; i++) {
                assertThat(queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, 8, i, i))
                        .isTrue();
            }
            if (needsNobody) {
                addHundred(other, imported.remote());
            }
            queue.within(Duration.ofSeconds(1));
        } finally {
            processOfHome().proceed();
        }

        var received = receiver.queue().nextOnes(32);
        assertThat(received)
                .extracting(o -> o.immediate().orElse(-1))
                .containsExactlyElementsOf(LongStream.range(0, 32).boxed().toList());
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
        if (!needsNobody) {
            addHundred(other, imported.remote());
        }
        assertThat(imported.home().word(0)).isEqualTo(100);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
    }

    private static void addHundred(SendSide queue, RemoteSegment counter) {
        for (int i = 0; i < 100; i++) {
            queue.atomic(Opcode.FADD, counter, 0, 8, 1, 0);
        }
    }

    /** S12.3: a peer that stays silent longer than the timeout fails the work request. */
    @Rule({"S12.3", "S12.6"})
    @Test
    void silenceBeyondTheTimeoutFailsTheMessage() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 0);
        var queue = pair.initiator()
                .queue(JfsConfig.builder().timeout(Duration.ofMillis(300)).build());

        processOfHome().stop();
        try {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 6);
            assertThat(queue.awaitCompletion())
                    .returns(CompletionStatus.ACK_TIMEOUT_ERR, Outcome::status)
                    .returns(6L, Outcome::userContext);
        } finally {
            processOfHome().proceed();
        }
    }

    /** S12.3: what waits for an earlier request of its queue has no answer to wait for, however long that takes. */
    @Rule({"S12.3", "S8.9"})
    @Test
    void whatWaitsForAnEarlierRequestTakesNoPeerForSilent() {
        var late = pair.receiver(4096);
        var ready = pair.receiver(4096);
        ready.receive(1, 64, 7);
        var imported = pair.imported(4096);
        Duration timeout = Patience.stretched(Duration.ofMillis(100));
        var queue = pair.initiator()
                .queue(JfsConfig.builder().timeout(timeout).rnrRetry(7).build());
        queue.jfs().send(late.target(), queue.scratch(), 0, 8, 1); // waits for a receive
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 2);
        queue.jfs().send(ready.target(), queue.scratch(), 0, 8, 3);

        assertThat(queue.within(timeout.multipliedBy(5))).isEmpty();

        late.receive(1, 64, 8);
        assertThat(queue.awaitCompletions(3))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L, 3L);
        assertThat(ready.queue().next()).returns(7L, Outcome::userContext);
    }

    /** S12.4: proven death ends at once what is in flight, and is reported. */
    @Rule({"S12.4", "S2.3", "S6.8"})
    @Test
    void deathOfThePeerEndsWhatIsUnderWay() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var receiver = pair.receiver(4096);
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        for (int i = 0; i < 8; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i); // wait for receives
        }

        long start = System.nanoTime();
        processOfHome().kill();

        var results = queue.drainAndFlush();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.stretched(Duration.ofSeconds(2)));
        assertThat(results)
                .extracting(SendSide.Result::userContext)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 8).boxed().toList());
        // what was refused just then has not started, and comes from flush behind what the peer may have taken (S6.7)
        var inOrder = Comparator.comparing((SendSide.Result result) -> result.status() == CompletionStatus.WR_UNHANDLED)
                .thenComparingLong(SendSide.Result::userContext);
        assertThat(results).isSortedAccordingTo(inOrder);
        assertThat(results.getFirst().status()).isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR);
        pair.initiator().awaitEvent(AsyncEvent.Type.PEER_LOST);
        Patience.await("the end of the import", () -> imported.remote().isRevoked());
        var other = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(other.write(imported.remote(), 0, other.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }
}
