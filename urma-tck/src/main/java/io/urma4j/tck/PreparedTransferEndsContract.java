package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.QueueState;
import io.urma4j.TransferNotice;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SEMANTICS §16: how transfers end, each once: one at a time, and by closed objects, revocations and deaths. */
public abstract class PreparedTransferEndsContract extends PreparingContract {
    private static final int FOR_EVER = 7; // rnrRetry

    protected PreparedTransferEndsContract(String device) {
        super(device);
    }

    // ---- one at a time

    /** A transfer that waits for a receive work request of the home. */
    private record Waiting(
            SendSide queue,
            Pair.Imported imported,
            LocalSegment local,
            Pair.Receiver receiver,
            PreparedTransfer transfer) {}

    private Waiting waiting() {
        var imported = pair.imported(SIZE);
        var receiver = pair.receiver(64);
        var queue =
                pair.initiator().queue(JfsConfig.builder().rnrRetry(FOR_EVER).build());
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var transfer = prepared(queue, imported.remote(), local);
        assertThat(transfer.post(
                        Opcode.WRITE, upTo(COUNT), upTo(COUNT), 77, TransferNotice.message(receiver.target()), 1))
                .isTrue();
        return new Waiting(queue, imported, local, receiver, transfer);
    }

    /** S16.4: while a post is in progress, the next one is refused, and nothing that it names can be closed. */
    @Rule({"S16.4", "S16.7"})
    @Test
    void secondPostIsRefusedWhileOneIsInProgress() {
        var waiting = waiting();
        PreparedTransfer transfer = waiting.transfer();

        assertThat(transfer.isInProgress()).isTrue();
        assertRefused(UrmaStatus.EAGAIN, () -> transfer.post(Opcode.READ, upTo(1), upTo(1), 78))
                .hasMessageContaining("in progress");
        assertRefused(UrmaStatus.EAGAIN, transfer::close).hasMessageContaining("in progress");
        assertRefused(UrmaStatus.EAGAIN, waiting.local()::close);
        assertRefused(UrmaStatus.EAGAIN, waiting.imported().remote()::close);
        assertThat(waiting.queue().within(MOMENT)).isEmpty();

        waiting.receiver().receive(1, 64, 5);
        assertThat(waiting.receiver().queue().next().isSuccess()).isTrue();
        assertThat(onlyRecordOf(waiting.queue(), 77)).returns(Opcode.WRITE, Outcome::opcode);
        assertThat(transfer.isInProgress()).isFalse();
        assertThat(transfer.post(Opcode.READ, upTo(1), upTo(1), 79)).isTrue();
        assertThat(onlyRecord(waiting.queue()).userContext()).isEqualTo(79);
        transfer.close();
        transfer.close();
        waiting.local().close();
        waiting.imported().remote().close();
    }

    /** S16.4: two transfers of one queue are independent. */
    @Rule("S16.4")
    @Test
    void otherTransfersOfTheQueueGoOn() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        var first = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(1)));
        var second = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(2)));

        assertThat(first.post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 1)).isTrue();
        assertThat(second.post(Opcode.WRITE, upTo(50), upTo(50), 2)).isTrue();

        assertThat(queue.awaitCompletions(2))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L);
        assertThat(imported.home().firstDifference(new Payload(2), 0, 0, SIZE / 2))
                .isEqualTo(-1);
        assertThat(imported.home().firstDifference(new Payload(1), SIZE / 2, SIZE / 2, SIZE / 2))
                .isEqualTo(-1);
    }

    /** S16.4: a queue that fails ends the transfer once; it may be posted again when the queue is ready. */
    @Rule({"S16.4", "S6.8"})
    @Test
    void failedQueueEndsTheTransferOnce() {
        var waiting = waiting();
        var jfs = waiting.queue().jfs();

        jfs.modify(QueueState.ERROR);

        assertThat(waiting.queue().drainAndFlush())
                .singleElement()
                .returns(77L, SendSide.Result::userContext)
                .returns(CompletionStatus.WR_FLUSH_ERR, SendSide.Result::status);
        assertThat(waiting.transfer().isInProgress()).isFalse();
        jfs.modify(QueueState.RESET);
        jfs.modify(QueueState.READY);
        assertThat(waiting.transfer().post(Opcode.READ, upTo(3), upTo(3), 80)).isTrue();
        assertThat(onlyRecord(waiting.queue()))
                .returns(80L, Outcome::userContext)
                .returns(CompletionStatus.SUCCESS, Outcome::status);
    }

    /** S16.4: a transfer that a failed queue never started is returned by flush, once. */
    @Rule({"S16.4", "S6.7"})
    @Test
    void transferThatNeverStartedIsFlushed() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var transfer = prepared(queue, imported.remote(), local);
        queue.jfs().modify(QueueState.ERROR);

        assertThat(transfer.post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 5)).isTrue();

        assertThat(queue.drainAndFlush())
                .singleElement()
                .returns(5L, SendSide.Result::userContext)
                .returns(CompletionStatus.WR_UNHANDLED, SendSide.Result::status);
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(transfer.isInProgress()).isFalse();
        transfer.close();
    }

    // ---- closed objects

    /** S16.7: a post is refused once the transfer, or what it names, is closed. */
    @Rule("S16.7")
    @Test
    void closedObjectsRefuseThePost() {
        var here = pair.initiator();
        var imported = pair.imported(SIZE);
        var queue = here.queue(JfsConfig.DEFAULT);
        var local = here.buffer(SIZE);
        var other = here.buffer(SIZE);
        var closed = prepared(queue, imported.remote(), local);
        var withoutLocal = prepared(queue, imported.remote(), other);
        var withoutRemote = prepared(queue, imported.remote(), local);
        var withoutQueue = prepared(queue, pair.imported(SIZE).remote(), local);

        closed.close();
        refuse(() -> closed.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        other.close();
        refuse(() -> withoutLocal.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        imported.remote().close();
        refuse(() -> withoutRemote.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        queue.jfs().close();
        refuse(() -> withoutQueue.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        refuse(() -> prepared(queue, pair.imported(SIZE).remote(), local), "is closed");
        withoutQueue.close();
    }

    /** S16.7: a queue that is closed while a transfer is in progress ends it without a record. */
    @Rule({"S16.7", "S10.7"})
    @Test
    void closedQueueEndsTheTransfer() {
        var waiting = waiting();

        waiting.queue().jfs().close();

        assertThat(waiting.transfer().isInProgress()).isFalse();
        assertThat(waiting.queue().within(MOMENT)).isEmpty();
        waiting.transfer().close();
        waiting.imported().remote().close();
        waiting.local().close();
    }

    // ---- revocation and death

    /** S16.6: if a segment was revoked before, no block moves, also of the other segments. */
    @Rule("S16.6")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void revokedSegmentStopsTheTransferBeforeItsFirstBlock(Opcode opcode) {
        var first = pair.imported(SIZE);
        var second = pair.imported(SIZE);
        first.home().fill(new Payload(1));
        var local = pair.initiator().buffer(SIZE);
        var queue = pair.initiator().queue();
        var transfer =
                PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, BLOCK, 2 * COUNT);
        second.revoke();
        Patience.await("the revocation at the importer", second.remote()::isRevoked);

        assertThat(transfer.post(opcode, new int[] {0, 1, 2}, new int[] {5, 6, COUNT + 5}, 9))
                .isTrue();

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(9L, Outcome::userContext);
        assertThat(queue.drainAndFlush()).isEmpty();
        assertThat(first.home().firstDifference(new Payload(1), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(local.memory().mismatch(MemorySegment.ofArray(new byte[SIZE])))
                .isEqualTo(-1);
        assertThat(transfer.isInProgress()).isFalse();
    }

    /** S6.12, S16.6: in a queue whose failures are a target's own, the other segments of a failed transfer are served on. */
    @Rule({"S6.12", "S16.6"})
    @Test
    void otherSegmentsOfAFailedTransferAreServedOn() {
        var first = pair.imported(SIZE);
        var second = pair.imported(SIZE);
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var queue = pair.initiator()
                .queue(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        var both = PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, BLOCK, 2 * COUNT);
        second.revoke();
        Patience.await("the revocation at the importer", second.remote()::isRevoked);

        assertThat(both.post(Opcode.WRITE, upTo(3), new int[] {0, COUNT, 1}, 1)).isTrue();
        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(1L, Outcome::userContext);

        assertThat(prepared(queue, first.remote(), local).post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 2))
                .isTrue();
        assertThat(onlyRecordOf(queue, 2).opcode()).isEqualTo(Opcode.WRITE);
        assertThat(first.home().firstDifference(new Payload(1), 0, 0, SIZE)).isEqualTo(-1);
    }

    /** S16.6: a revocation during transfers ends one of them with a failure, and no byte moves afterwards. */
    @Rule({"S16.6", "S7.9"})
    @Test
    void revocationMidwayEndsTheTransferOnce() throws Exception {
        int blocks = Patience.amount(20_000, 2_000);
        var imported = pair.imported(SIZE);
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, imported.remote(), local);
        int[] numbers = IntStream.range(0, blocks).map(i -> i * 7 % COUNT).toArray();
        Thread revoking = Thread.ofPlatform().start(() -> {
            Patience.await("the first block", () -> !imported.home().isZero(0, BLOCK));
            imported.revoke();
            imported.home().put(0, new byte[SIZE]);
        });

        Outcome last;
        do {
            assertThat(transfer.post(Opcode.WRITE, numbers, numbers, 3)).isTrue();
            last = queue.awaitCompletion();
            assertThat(last.userContext()).isEqualTo(3);
        } while (last.isSuccess());

        assertThat(last.status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(queue.drainAndFlush()).isEmpty();
        revoking.join();
        assertThat(queue.within(MOMENT)).isEmpty();
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(transfer.isInProgress()).isFalse();
    }

    /** S12.4: a home that is killed in the middle of a transfer ends it once, long before the timeout of the queue. */
    @Rule({"S12.4", "S16.1"})
    @Test
    void deathOfTheHomeEndsTheTransferOnce() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var imported = pair.imported(SIZE);
        var queue = pair.initiator()
                .queue(JfsConfig.builder()
                        .timeout(Patience.LIMIT.multipliedBy(3))
                        .build());
        var transfer = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(1)));
        int[] numbers =
                IntStream.range(0, 300_000).map(i -> i % COUNT * 7 % COUNT).toArray();
        Thread posting = Thread.ofPlatform().start(() -> transfer.post(Opcode.WRITE, numbers, numbers, 78));
        Patience.await("the first block", () -> !imported.home().isZero(0, BLOCK));

        processOfHome().kill();

        posting.join();
        Outcome only = queue.awaitCompletion();
        assertThat(only.userContext()).isEqualTo(78);
        if (!only.isSuccess()) { // a mapping outlives its home, so the transfer may succeed
            assertThat(queue.drainAndFlush()).isEmpty();
        }
        assertThat(queue.within(MOMENT)).isEmpty();
        assertThat(transfer.isInProgress()).isFalse();
    }
}
