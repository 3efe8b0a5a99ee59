package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.CompletionStatus;
import io.urma4j.FakeQueues;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** S14.26, S14.27, S14.36: posts, permits, failures and timeouts of batches, in virtual time. */
class TransfersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TransferOptions OPTIONS = TransferOptions.builder()
            .progress(TransferProgress.BY_CALLER)
            .perPost(4)
            .maxUnfinished(6)
            .build();

    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("fake0").openContext();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // it wraps
    private final Transfers transfers = Transfers.open(OPTIONS, clock::get, context);
    private final RdmaBuf buf = RdmaBuf.allocate(context, 4096);
    private final RemoteBuf remote = RemoteBufs.one(0, 4096);

    /** The first use asks the home, on another thread. */
    @BeforeEach
    void openTheWindow() {
        BatchOp first = batchOf(1);
        first.submit(SECOND);
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!first.isIdle()) {
            transfers.poll();
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        assertThat(first.isSuccess()).isTrue();
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private BatchOp batchOf(int requests) {
        BatchOp batch = transfers.writeBatch();
        for (int i = 0; i < requests; i++) {
            batch.add(remote.subrange(8L * i, 8), buf.view().first(8));
        }
        return batch;
    }

    /** S14.38: its own homes come last, and its other objects are closed already. */
    @Test
    void threadOfAContextEndsWhileAnotherContextClosesTheTransfers() throws Exception {
        UrmaContext first = urma.device("fake0").openContext();
        UrmaContext second = urma.device("fake0").openContext();
        Transfers both = Transfers.open(TransferOptions.DEFAULT, first, second);
        RdmaBuf local = RdmaBuf.allocate(first, 64);
        assertThat(both.write(remote, local.view()).get(20, TimeUnit.SECONDS).isSuccess())
                .isTrue();
        FakeQueues.hold(first, true);
        CompletableFuture<TransferResult> held = both.write(remote, local.view());
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(one -> one.getName().equals("urma-transfers-" + second.uasid()))
                .findAny()
                .orElseThrow();
        CompletableFuture<Boolean> ended = held.thenApply(_ -> {
            second.close();
            return hasEnded(thread);
        });

        first.close();

        assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    }

    /** S14.38: also those on the context whose close comes second. */
    @Test
    void batchesHaveEndedWhenTheSecondCloseReturns() throws Exception {
        UrmaContext first = urma.device("fake0").openContext();
        UrmaContext second = urma.device("fake0").openContext();
        Transfers both = Transfers.open(TransferOptions.DEFAULT, first, second);
        RdmaBuf local = RdmaBuf.allocate(first, 64);
        RdmaBuf ofSecond = RdmaBuf.allocate(second, 64);
        RemoteBuf bySecond = RemoteBuf.of(List.of(RemoteBufs.window(1, RemoteBufs.udmaSlab(), 9, 0, 4096)));
        assertThat(both.write(remote, local.view()).get(20, TimeUnit.SECONDS).isSuccess())
                .isTrue();
        assertThat(both.write(bySecond, ofSecond.view())
                        .get(20, TimeUnit.SECONDS)
                        .isSuccess())
                .isTrue();
        FakeQueues.hold(first, true);
        FakeQueues.hold(second, true);
        CompletableFuture<TransferResult> held = both.write(remote, local.view());
        CompletableFuture<TransferResult> last = both.write(bySecond, ofSecond.view());
        CompletableFuture<Boolean> hadEnded = new CompletableFuture<>();
        CompletableFuture<Void> _ = held.thenRun(() -> {
            Thread closing = Thread.ofPlatform().daemon().start(() -> {
                try {
                    second.close();
                } finally {
                    hadEnded.complete(last.isDone());
                }
            });
            awaitWaitingForGoodOrEnded(closing);
        });

        first.close();

        assertThat(hadEnded.get(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Before the wait that lasts, a thread may wait for a moment elsewhere. */
    private static void awaitWaitingForGoodOrEnded(Thread thread) {
        long deadline = System.nanoTime() + 20_000_000_000L;
        for (int quiet = 0; quiet < 50 && thread.isAlive() && System.nanoTime() < deadline; quiet++) {
            LockSupport.parkNanos(1_000_000);
            if (thread.getState() != Thread.State.WAITING) {
                quiet = 0;
            }
        }
    }

    private static boolean hasEnded(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void oneRecordForEachPost() {
        int before = FakeQueues.records(context);

        assertThat(batchOf(10).post(SECOND).join().orThrow().bytes()).isEqualTo(80);

        assertThat(FakeQueues.posts(context)).hasSize(11);
        assertThat(FakeQueues.records(context) - before).isEqualTo(3); // of 4, 4 and 2
    }

    @Test
    void noMoreRequestsThanPermitsAreUnfinished() {
        FakeQueues.hold(context, true);
        BatchOp first = batchOf(5);
        BatchOp second = batchOf(3);
        first.submit(SECOND);
        second.submit(SECOND);

        assertThat(transfers.stats().unfinished()).isEqualTo(5); // 4, and 1 behind it; 3 more would be 8
        assertThat(transfers.stats().waiting()).isEqualTo(1);

        FakeQueues.hold(context, false);
        assertThat(transfers.poll()).isEqualTo(2);
        assertThat(second.isSuccess()).isTrue();
        assertThat(transfers.stats().unfinished()).isZero();
    }

    @Test
    void timedOutBatchHoldsItsBuffersUntilItsLastRecord() {
        RdmaBuf held = RdmaBuf.allocate(context, 64);
        MemorySegment memory = held.view().segment();
        FakeQueues.hold(context, true);
        BatchOp batch = transfers.readBatch();
        for (int i = 0; i < 9; i++) {
            batch.add(remote, held.view());
        }
        CompletableFuture<TransferResult> future = batch.post(SECOND);
        held.close();
        clock.addAndGet(SECOND.toNanos() - 1);
        transfers.poll();
        assertThat(future).isNotDone();

        clock.addAndGet(1);
        transfers.poll();

        assertThat(future.join().status()).isEqualTo(TransferStatus.TIMED_OUT);
        assertThat(batch.isDone()).isTrue();
        assertThat(batch.isIdle()).isFalse();
        assertThat(memory.scope().isAlive()).isTrue();
        assertThat(transfers.stats().waiting()).isZero();
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> batch.add(remote, buf.view()))
                .matches(refusal -> refusal.status() == UrmaStatus.EAGAIN);
        FakeQueues.hold(context, false);
        assertThat(transfers.poll()).isEqualTo(1);
        assertThat(memory.scope().isAlive()).isFalse();
        assertThat(batch.isIdle()).isTrue();
        assertThat(batch.result().status()).isEqualTo(TransferStatus.TIMED_OUT);
        assertThat(FakeQueues.posts(context))
                .as("nothing was posted afterwards")
                .hasSize(1 + 4);
    }

    @Test
    void firstFailureIsTheResult() {
        FakeQueues.hold(context, true);
        FakeQueues.endNext(
                context,
                CompletionStatus.SUCCESS,
                CompletionStatus.REM_OPERATION_ERR,
                CompletionStatus.ACK_TIMEOUT_ERR,
                CompletionStatus.WR_FLUSH_ERR);
        BatchOp batch = batchOf(10);
        CompletableFuture<TransferResult> future = batch.post(SECOND);
        FakeQueues.hold(context, false);

        assertThat(transfers.poll()).isEqualTo(1);

        assertThat(future.join().status()).isEqualTo(TransferStatus.FAILED);
        assertThat(future.join().completionStatus()).contains(CompletionStatus.REM_OPERATION_ERR);
        assertThat(FakeQueues.posts(context))
                .as("nothing was posted afterwards")
                .hasSize(1 + 4);
        assertThat(transfers.stats().recoveries()).isEqualTo(1);
        assertThat(batchOf(10).post(SECOND).join().isSuccess()).isTrue();
    }

    @Test
    void failureEndsWhatIsInFlightAndNotWhatWaits() {
        FakeQueues.hold(context, true);
        FakeQueues.endNext(context, CompletionStatus.REM_OPERATION_ERR);
        BatchOp failing = batchOf(1);
        BatchOp inFlight = batchOf(4);
        BatchOp waiting = batchOf(4);
        failing.submit(SECOND);
        inFlight.submit(SECOND);
        waiting.submit(SECOND);
        FakeQueues.hold(context, false);

        transfers.poll();
        transfers.poll();

        assertThat(failing.result().completionStatus()).contains(CompletionStatus.REM_OPERATION_ERR);
        assertThat(waiting.isSuccess()).isTrue();
        assertThat(inFlight.isDone()).isTrue();
        assertThat(transfers.stats().unfinished()).isZero();
    }

    /** The device refuses the third of four: the two before it have ended before the result is there. */
    @Test
    void refusedPostReturnsItsPermits() {
        FakeQueues.leaveRoom(context, 2);
        TransferResult refused = batchOf(4).post(SECOND).join();

        assertThat(refused.status()).isEqualTo(TransferStatus.REFUSED);
        assertThat(refused.failure().orElseThrow()).hasMessageContaining("is full");
        assertThat(transfers.stats().unfinished()).isZero();
        FakeQueues.leaveRoom(context, Integer.MAX_VALUE);
        assertThat(batchOf(10).post(SECOND).join().isSuccess()).isTrue();
    }

    @Test
    void closeEndsAllWithTheirHolds() {
        FakeQueues.hold(context, true);
        RdmaBuf held = RdmaBuf.allocate(context, 64);
        MemorySegment memory = held.view().segment();
        CompletableFuture<TransferResult> posted = transfers.read(remote, held.view());
        BatchOp batch = batchOf(8);
        batch.submit(SECOND);
        held.close();
        assertThat(memory.scope().isAlive()).isTrue();

        transfers.close();

        assertThat(posted.join().status()).isEqualTo(TransferStatus.CLOSED);
        assertThat(batch.result().status()).isEqualTo(TransferStatus.CLOSED);
        assertThat(memory.scope().isAlive()).isFalse();
        assertThat(transfers.stats().failed()).isEqualTo(2);
    }
}
