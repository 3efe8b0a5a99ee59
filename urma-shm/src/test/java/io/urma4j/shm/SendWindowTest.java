package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.shm.control.TestPeers;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.SlotFlags;
import org.junit.jupiter.api.Test;

class SendWindowTest {
    private static final int THERE = 9;
    private static final long SECOND = 1_000_000_000;
    private static final long TIMEOUT_NANOS = JfsConfig.DEFAULT.timeout().toNanos();
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    private final TestWindow queue = new TestWindow(JfsConfig.DEFAULT);
    private final ShmTarget target = queue.target(THERE);

    // ---- two imports of one queue

    /** S8.9: the receiver knows one flow, and a restart of it would release what it holds back. */
    @Test
    void whatFollowsAMessageByAnotherImportDoesNotRestartItsFlow() {
        queue.send(target, 1, null);
        queue.send(queue.target(THERE), 2, null);

        queue.arrives();
        assertThat(queue.arriving.has(SlotFlags.RESTART)).isTrue();
        queue.answers(Answer.NOT_READY);
        queue.arrives();
        assertThat(queue.arriving.has(SlotFlags.RESTART)).isFalse();
        queue.answers(Answer.HELD);
        queue.advance(System.nanoTime() + SECOND);

        queue.arrives();
        assertThat(queue.arriving.has(SlotFlags.RESTART)).isTrue();
        queue.answers(Answer.TAKEN);
        queue.arrives();
        queue.answers(Answer.TAKEN);
        assertThat(TestWindow.statuses(queue.own)).containsExactly(SUCCESS, SUCCESS);
    }

    /** S6.12: what another import of the queue has in flight comes back, and is retransmitted. */
    @Test
    void aFailureOfOneImportLeavesTheOther() {
        TestWindow scoped = new TestWindow(
                JfsConfig.builder().errorScope(ErrorScope.TARGET).rnrRetry(0).build());
        ShmTarget failing = scoped.target(THERE);
        scoped.send(failing, 1, null);
        scoped.send(scoped.target(THERE), 2, null);
        scoped.send(failing, 3, null);

        scoped.arrives();
        scoped.answers(Answer.NOT_READY);
        scoped.arrives();
        scoped.answers(Answer.HELD);
        scoped.arrives(); // which has ended: its answer is ignored
        scoped.answers(Answer.HELD);
        scoped.advance(System.nanoTime() + SECOND);
        scoped.arrives();
        assertThat(scoped.arriving.has(SlotFlags.RESTART)).isTrue();
        scoped.answers(Answer.TAKEN);

        assertThat(TestWindow.statuses(scoped.own))
                .containsExactly(
                        CompletionStatus.RNR_RETRY_CNT_EXC_ERR.value(), SUCCESS, CompletionStatus.WR_FLUSH_ERR.value());
    }

    /** S6.12: what was taken before the restart ends no restart: what the receiver held back is retransmitted. */
    @Test
    void aMessageTakenBeforeARestartDoesNotEndIt() {
        TestWindow scoped =
                new TestWindow(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        ShmTarget failing = scoped.target(THERE);
        ShmTarget other = scoped.target(THERE);
        scoped.send(failing, 1, null);
        scoped.send(other, 2, null);
        scoped.send(failing, 3, null);
        scoped.send(other, 4, null);

        for (int answer : new int[] {Answer.FAILED, Answer.TAKEN, Answer.NOT_READY, Answer.HELD}) {
            scoped.arrives();
            scoped.answers(answer);
        }
        scoped.advance(System.nanoTime() + SECOND);
        scoped.arrives();
        assertThat(scoped.arriving.has(SlotFlags.RESTART)).isTrue();
        scoped.answers(Answer.TAKEN);

        assertThat(TestWindow.statuses(scoped.own))
                .containsExactly(
                        CompletionStatus.REM_OPERATION_ERR.value(),
                        SUCCESS,
                        CompletionStatus.WR_FLUSH_ERR.value(),
                        SUCCESS);
    }

    /** S6.12: a new import is served at once, though no thread polls. */
    @Test
    void aNewImportOfAQueueThatHasFailedIsServedAtOnce() {
        TestWindow scoped =
                new TestWindow(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        scoped.send(scoped.target(THERE), 1, null);
        scoped.arrives();
        scoped.answers(Answer.FAILED);

        scoped.send(scoped.target(THERE), 2, null);

        scoped.arrives();
        assertThat(scoped.arriving.has(SlotFlags.RESTART)).isTrue();
    }

    @Test
    void anImportThatIsClosedLeavesNothingBehind() {
        ShmTarget again = queue.target(THERE);
        queue.send(target, 1, null);
        queue.send(again, 2, null);
        assertThat(target.close()).isDone();
        assertThat(target.unfinished()).as("one that is still used").isEqualTo(1);
        queue.arrives();
        queue.answers(Answer.TAKEN);
        queue.arrives();
        queue.answers(Answer.TAKEN);

        Flows flows = queue.window.flows();
        assertThat(target.close()).isDone();
        assertThat(flows.all().all()).as("of the other import").hasSize(1);
        assertThat(again.close()).isDone();

        assertThat(flows.all().all()).isEmpty();
        assertThat(flows.targets()).isZero();
    }

    // ---- lost peers

    /** A queue may outlive any number of peers. */
    @Test
    void ofALostPeerNothingStays() {
        queue.send(target, 1, null);
        queue.arrives();
        queue.answers(Answer.TAKEN);
        assertThat(target.close()).isDone();
        assertThat(queue.window.flows().known(queue.peer)).as("it lives").isNotNull();

        TestPeers.lose(queue.peer);
        queue.window.peerLost(queue.peer);

        assertThat(queue.window.flows().known(queue.peer)).isNull();
    }

    /** S8.9: each peer of a queue is one object, as long as anything names it. */
    @Test
    void aLostPeerStaysWhileItIsUsed() {
        Flows flows = queue.window.flows();
        queue.send(target, 1, null);
        PeerLanes known = flows.known(queue.peer);
        TestPeers.lose(queue.peer);
        queue.locked(() -> flows.to(TestPeers.one()));
        assertThat(flows.known(queue.peer)).as("a work request names it").isSameAs(known);
        queue.window.peerLost(queue.peer);
        assertThat(TestWindow.statuses(queue.own)).first().isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR.value());
        assertThat(flows.known(queue.peer)).as("an import names it").isSameAs(known);
        assertThat(target.close()).isDone();

        queue.locked(() -> flows.to(TestPeers.one()));

        assertThat(flows.known(queue.peer)).isNull();
    }

    // ---- records that are owed

    /** S12.6: the thread that fails the queue may be the last one that comes by. */
    @Test
    void aRecordThatIsOwedAfterAFailureIsMadeByWhoeverPolls() {
        queue.send(target, 1, queue.other);
        int before = queue.wakes.get();
        queue.other.lock().acquire();
        queue.window.fail();

        assertThat(queue.window.isWatched()).isTrue();
        assertThat(queue.demand.waitingQueues).hasValue(1);
        assertThat(queue.wakes.get()).isGreaterThan(before);

        queue.other.lock().release();
        queue.advance(System.nanoTime());
        assertThat(TestWindow.statuses(queue.other)).containsExactly(CompletionStatus.WR_FLUSH_ERR.value());
        assertThat(queue.demand.waitingQueues).hasValue(0);
    }

    /** S12.6: also the record of a success; as long as that JFC is busy, the engine tries again soon. */
    @Test
    void aRecordWhoseJfcIsBusyIsTriedAgain() {
        queue.send(target, 1, queue.other);
        queue.arrives();
        int before = queue.wakes.get();
        queue.other.lock().acquire();
        queue.answers(Answer.TAKEN);
        long now = System.nanoTime();

        assertThat(queue.wakes.get()).isGreaterThan(before);
        assertThat(queue.window.expire(now, 0)).isBetween(now, now + SECOND / 100);

        queue.other.lock().release();
        queue.advance(now);
        assertThat(TestWindow.statuses(queue.other)).containsExactly(SUCCESS);
        assertThat(queue.window.expire(now, 0)).isEqualTo(Long.MAX_VALUE);
    }

    /** S11.4: else the engine would look after it for ever. */
    @Test
    void aQueueThatIsClosedOwesNothing() {
        queue.send(target, 1, queue.other);
        queue.other.lock().acquire();
        queue.window.fail();
        queue.other.lock().release();

        queue.locked(queue.window::clear);

        assertThat(queue.demand.waitingQueues).hasValue(0);
    }

    // ---- retransmissions

    /** S11.4: it was tried and could not start; what it waits for wakes the engine. */
    @Test
    void aRetransmissionThatIsOverdueAsksForNoTime() {
        queue.send(target, 1, null);
        queue.arrives();
        long now = System.nanoTime();
        queue.answers(Answer.NOT_READY, 5_000_000);

        assertThat(queue.window.expire(now, 0)).isBetween(now + 5 * SECOND, now + 10 * SECOND);
        assertThat(queue.window.expire(now + 10 * SECOND, 0)).isEqualTo(Long.MAX_VALUE);
    }

    /** S12.6: whatever {@code rnrRetry}, an honest peer answers otherwise. */
    @Test
    void aPeerThatHoldsBackARestartIsNotAskedForEver() {
        queue.send(target, 1, null);
        queue.arrives();
        queue.answers(Answer.NOT_READY);
        queue.advance(System.nanoTime() + SECOND);

        queue.arrives();
        queue.answers(Answer.HELD);

        assertThat(TestWindow.statuses(queue.own)).first().isEqualTo(CompletionStatus.REM_OPERATION_ERR.value());
    }

    /** S12.6: only a revocation takes its time. */
    @Test
    void aPeerThatPutsOffAMessageWithoutARevocationIsNotAskedForEver() {
        queue.send(target, 1, null);
        queue.arrives();

        queue.answers(Answer.LATER);

        assertThat(TestWindow.statuses(queue.own)).first().isEqualTo(CompletionStatus.REM_OPERATION_ERR.value());
    }

    // ---- silence

    private void expire(long nowNanos) {
        queue.locked(() -> queue.window.expire(nowNanos, 0));
    }

    /** S12.3: its silence begins with its last answer, however long a request waits for those before it. */
    @Test
    void aSlowPeerIsNotSilent() {
        for (int i = 0; i < 4; i++) {
            queue.send(target, i, null);
        }
        long now = System.nanoTime();
        expire(now);
        for (int i = 0; i < 3; i++) {
            queue.arrives();
            queue.answers(Answer.TAKEN);
            now += TIMEOUT_NANOS * 3 / 4;
            expire(now);
        }
        assertThat(TestWindow.statuses(queue.own)).containsExactly(SUCCESS, SUCCESS, SUCCESS);

        expire(now + TIMEOUT_NANOS);
        assertThat(TestWindow.statuses(queue.own)).isEmpty();
        expire(now + TIMEOUT_NANOS + 1);

        assertThat(TestWindow.statuses(queue.own)).first().isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR.value());
    }

    /** S12.3: it may lie there since this process was stalled, for however short a time. */
    @Test
    void anAnswerThatHasArrivedPrecedesTheTimeout() {
        queue.send(target, 1, null);
        long now = System.nanoTime();
        expire(now);
        queue.arrives();
        queue.arriving.answer(Answer.TAKEN, 0);

        expire(now + 2 * TIMEOUT_NANOS);

        queue.path.reap(true);
        assertThat(TestWindow.statuses(queue.own)).containsExactly(SUCCESS);
    }

    /** S12.3: silence that began before the post is not that of its work request. */
    @Test
    void aRequestToAPeerThatIsSilentAlreadyHasItsWholeTime() {
        TestWindow scoped =
                new TestWindow(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        scoped.send(scoped.target(THERE), 1, null);
        long now = System.nanoTime();
        scoped.locked(() -> scoped.window.expire(now, 0));
        scoped.send(scoped.target(THERE + 1), 2, null);
        scoped.locked(() -> scoped.window.expire(now + TIMEOUT_NANOS / 2, 0));

        scoped.locked(() -> scoped.window.expire(now + TIMEOUT_NANOS + 1, 0));

        assertThat(TestWindow.statuses(scoped.own)).containsExactly(CompletionStatus.ACK_TIMEOUT_ERR.value());
        scoped.locked(() -> scoped.window.expire(now + 2 * TIMEOUT_NANOS, 0));
        assertThat(TestWindow.statuses(scoped.own)).containsExactly(CompletionStatus.ACK_TIMEOUT_ERR.value());
    }

    /** S15.51: no answer is due to a request that waits for an event, though its peer leaves an earlier one unanswered. */
    @Test
    void aRequestBehindAnEventTakesNoPeerForSilent() {
        TestWindow scoped =
                new TestWindow(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        scoped.send(scoped.target(THERE), 1, null);
        long now = System.nanoTime();
        scoped.locked(() -> scoped.window.expire(now, 0));
        scoped.locked(() -> scoped.window.expire(now + TIMEOUT_NANOS + 1, 0));
        assertThat(TestWindow.statuses(scoped.own)).containsExactly(CompletionStatus.ACK_TIMEOUT_ERR.value());
        scoped.sendAfterEvent(scoped.target(THERE + 1), 2);

        for (int timeouts = 2; timeouts < 6; timeouts++) {
            long later = now + timeouts * TIMEOUT_NANOS;
            scoped.locked(() -> scoped.window.expire(later, 0));
        }

        assertThat(TestWindow.statuses(scoped.own)).isEmpty();
    }

    // ---- many work requests

    /** S9.3: positions have 32 bits in a record, and a queue may use one JFC for a long time before another. */
    @Test
    void aRecordInAnotherJfcFreesItsSlotHoweverManyWentToItsOwn() {
        long position = (1L << 31) + 7;
        queue.window.records().use(queue.other, 0);
        Wqe entry = new Wqe(queue.own);
        entry.recordJfc = queue.other;

        assertThat(queue.window.records().push(position, entry)).isEqualTo(WindowRecords.Told.YES);
        assertThat(TestWindow.statuses(queue.other)).hasSize(1);

        assertThat(queue.window.records().freedElsewhere()).isEqualTo(position + 1);
        assertThat(queue.window.records().areUnpolled()).isFalse();
    }
}
