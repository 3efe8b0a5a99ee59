package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.PeerId;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BatchOp;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferProgress;
import io.urma4j.buffer.TransferResult;
import io.urma4j.buffer.TransferStatus;
import io.urma4j.buffer.Transfers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SEMANTICS §14: batches of transfers between the memory of a home and buffers: what they move and refuse, and how they end. */
public abstract class TransfersContract extends TransferringContract {
    protected TransfersContract(String device) {
        super(device);
    }

    // ---- what a batch moves

    /** S14.25, S14.37: several local ranges of one remote range, more than a request can have, under either form of progress. */
    @Rule({"S14.25", "S14.37"})
    @ParameterizedTest
    @EnumSource(TransferProgress.class)
    void bytesMoveBetweenRemoteBuffersAndViews(TransferProgress progress) {
        TransferOptions options = TransferOptions.builder().progress(progress).build();
        Exported home = exported(SIZE);
        try (Transfers transfers = open(options);
                RdmaBuf source = allocate(SIZE);
                RdmaBuf destination = allocate(SIZE)) {
            fill(source.view(), 14, 0);
            BufView from = source.view();
            BufView[] three = {from.takeFirst(100), from.takeFirst(0), from.takeFirst(1000)};
            BufView into = destination.view();
            BufView[] forty = new BufView[40];
            Arrays.setAll(forty, i -> into.takeFirst(1 + i));

            TransferResult written =
                    ended(transfers, progress, transfers.write(home.buf().subrange(8, 1100), three));
            TransferResult read =
                    ended(transfers, progress, transfers.read(home.buf().subrange(8, 1000), forty));

            assertThat(written.bytes()).isEqualTo(1100);
            assertThat(read.bytes()).isEqualTo(820);
            assertThat(home.memory().firstDifference(new Payload(14), 8, 0, 1100))
                    .isEqualTo(-1);
            assertThat(home.memory().isZero(1108, SIZE - 1108)).isTrue();
            assertHas(destination.view().first(820), 14, 0);
            assertThat(destination.view().getByte(820)).isZero();
        }
    }

    private static TransferResult ended(
            Transfers transfers, TransferProgress progress, CompletableFuture<TransferResult> future) {
        return progress == TransferProgress.BY_THREAD
                ? future.orTimeout(Patience.THREADS_SECONDS, TimeUnit.SECONDS)
                        .join()
                        .orThrow()
                : result(transfers, future).orThrow();
    }

    /** S14.25: random batches against narrow limits move each byte to its place, READ and WRITE. */
    @Rule({"S14.25", "S14.36"})
    @Test
    void randomBatchesMoveEachByte() {
        TransferOptions options = TransferOptions.builder()
                .progress(TransferProgress.BY_CALLER)
                .maxSges(3)
                .perPost(5)
                .maxUnfinished(7)
                .build();
        SplittableRandom random = Seed.randomFor("randomBatchesMoveEachByte");
        int most = 63 * 15 * 4095;
        Exported home = exported(most);
        try (Transfers transfers = open(options);
                RdmaBuf local = allocate(most)) {
            for (int round = 0; round < Patience.amount(12, 2); round++) {
                boolean isRead = random.nextBoolean();
                if (isRead) {
                    home.memory().fill(new Payload(round));
                } else {
                    fill(local.view(), round, 0);
                }
                BatchOp batch = isRead ? transfers.readBatch() : transfers.writeBatch();
                List<RangePair> ranges = addRandom(batch, random, home.buf(), local.view());

                assertSucceeds(transfers, batch);

                assertThat(transfers.stats().unfinished()).isZero();
                for (RangePair range : ranges) {
                    int length = Math.toIntExact(range.local.size());
                    byte[] there = isRead
                            ? range.local.segment().toArray(JAVA_BYTE)
                            : home.memory().get(range.remoteOffset, length);
                    long from = isRead ? range.remoteOffset : range.localOffset;
                    assertThat(crc(there))
                            .as("%s of round %d", range, round)
                            .isEqualTo(crc(new Payload(round).bytes(from, length)));
                }
            }
        }
    }

    /** A local range, and what it stands for. */
    private record RangePair(BufView local, long localOffset, long remoteOffset) {}

    /** 1…63 remote ranges of 1…15 local ranges of 4…4095 bytes, at places of their own on both sides. */
    private static List<RangePair> addRandom(BatchOp batch, SplittableRandom random, RemoteBuf remote, BufView local) {
        List<RangePair> all = new ArrayList<>();
        long at = 0;
        int remotes = 1 + random.nextInt(63);
        for (int i = 0; i < remotes; i++) {
            BufView[] locals = new BufView[1 + random.nextInt(15)];
            long begin = at;
            for (int j = 0; j < locals.length; j++) {
                int length = 4 + random.nextInt(4092);
                // the local ranges are in another order than the remote ones
                long localOffset = local.size() - at - length;
                locals[j] = local.subrange(localOffset, length);
                all.add(new RangePair(locals[j], localOffset, at));
                at += length;
            }
            batch.add(remote.subrange(begin, at - begin), locals);
        }
        return all;
    }

    private static long crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }

    /** S14.25: without requests there is nothing to wait for. */
    @Rule("S14.25")
    @Test
    void emptyBatchSucceedsAtOnce() {
        Exported home = exported(SIZE);
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(SIZE)) {
            assertThat(transfers.readBatch().post(SHORT)).isCompletedWithValueMatching(TransferResult::isSuccess);
            BatchOp batch =
                    transfers.writeBatch().add(home.buf(), buf.view().first(0)).add(home.buf());
            assertThat(batch.size()).isZero();
            assertThat(batch.post(SHORT)).isCompletedWithValueMatching(TransferResult::isSuccess);
        }
    }

    /** S14.25: the same batch moves the bytes that are there at each post. */
    @Rule("S14.25")
    @Test
    void batchIsPostedAgain() {
        Exported home = exported(SIZE);
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(SIZE)) {
            BatchOp batch = transfers.writeBatch().add(home.buf(), buf.view().first(8));
            for (int i = 1; i <= 3; i++) {
                buf.view().putLong(0, i);
                batch.submit(Patience.LIMIT);
                awaitIdle(transfers, batch);
                assertThat(batch.isSuccess()).isTrue();
                assertThat(home.memory().word(0)).isEqualTo(i);
            }
            batch.clear();
            assertThat(batch.size()).isZero();
            assertThat(batch.isDone()).isFalse();
            batch.add(home.buf().last(8), buf.view().first(8));
            assertSucceeds(transfers, batch);
            assertThat(home.memory().word(SIZE - 8)).isEqualTo(3);
            assertThat(transfers.stats().writtenBytes()).isEqualTo(32);
        }
    }

    // ---- what a batch refuses

    /** S14.24, S14.28: a refused add leaves nothing behind, whichever of its views is the reason. */
    @Rule({"S14.24", "S14.28", "S14.2"})
    @Test
    void refusedAddLeavesTheBatchAsItWas() {
        Exported home = exported(SIZE);
        Exported readable = exported(pair.home(), SIZE, Access.READ);
        UrmaContext other = pair.device().openContext();
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(SIZE);
                RdmaBuf elsewhere = RdmaBuf.allocate(other, 64)) {
            fill(buf.view(), 3, 0);
            RdmaBuf ended = allocate(64);
            BufView stale = ended.view();
            ended.close();
            BufView good = buf.view().first(64);
            BatchOp batch = transfers.writeBatch().add(home.buf(), good);

            for (BufView bad : List.of(stale, BufView.INVALID, elsewhere.view(), buf.view())) {
                assertRefused(UrmaStatus.EINVAL, () -> batch.add(home.buf().subrange(64, SIZE - 64), good, good, bad));
            }
            assertRefused(UrmaStatus.EINVAL, () -> batch.add(RemoteBuf.INVALID, good));
            assertRefused(UrmaStatus.EINVAL, () -> batch.add(home.buf().first(63), good))
                    .hasMessageContaining("longer than the 63 bytes");
            assertRefused(UrmaStatus.ENOPERM, () -> batch.add(readable.buf(), good));
            assertRefused(UrmaStatus.EINVAL, () -> batch.post(Duration.ZERO)).hasMessageContaining("timeout");

            assertThat(batch.size()).isEqualTo(1);
            assertThat(batch.bytes()).isEqualTo(64);
            batch.add(home.buf().subrange(128, 64), good);
            assertSucceeds(transfers, batch);
            assertThat(home.memory().firstDifference(new Payload(3), 0, 0, 64)).isEqualTo(-1);
            assertThat(home.memory().isZero(64, 64)).isTrue();
            assertThat(home.memory().firstDifference(new Payload(3), 128, 0, 64))
                    .isEqualTo(-1);
            assertThat(home.memory().isZero(192, SIZE - 192)).isTrue();
        }
    }

    /** S14.24: the ranges are those of the moment of the add; S14.28: a remote buffer may be longer. */
    @Rule({"S14.24", "S14.28"})
    @Test
    void laterMovesOfAViewDoNotChangeTheBatch() {
        Exported home = exported(SIZE);
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(SIZE)) {
            fill(buf.view(), 3, 0);
            BufView view = buf.view().first(64);
            BatchOp batch = transfers.writeBatch().add(home.buf(), view);
            view.advance(32);

            assertSucceeds(transfers, batch);

            assertThat(home.memory().firstDifference(new Payload(3), 0, 0, 64)).isEqualTo(-1);
        }
    }

    /** S14.9, S14.24: nothing is posted when a lease has ended since the add, and nothing stays held. */
    @Rule({"S14.9", "S14.24"})
    @Test
    void leaseThatHasEndedIsNotPosted() {
        Exported home = exported(SIZE);
        try (Transfers transfers = open(POLLED)) {
            RdmaBuf kept = allocate(64);
            RdmaBuf ended = allocate(64);
            MemorySegment memory = kept.view().segment();
            kept.view().putLong(0, 7);
            BatchOp batch = transfers
                    .writeBatch()
                    .add(home.buf(), kept.view())
                    .add(home.buf().last(64), ended.view());
            ended.close();

            assertRefused(UrmaStatus.EINVAL, () -> batch.post(SHORT)).hasMessageContaining("is closed");

            kept.close();
            assertThat(memory.scope().isAlive()).as("nothing holds it").isFalse();
            assertThat(home.memory().word(0)).isZero();
            batch.clear();
        }
    }

    // ---- failures

    /** S14.26: the failure is the result; buffers and permits are free, and the next transfers succeed. */
    @Rule({"S14.26", "S14.18"})
    @Test
    void failureIsTheResultAndCostsNoPermit() {
        TransferOptions options = TransferOptions.builder()
                .progress(TransferProgress.BY_CALLER)
                .perPost(2)
                .maxUnfinished(2)
                .build();
        Exported home = exported(SIZE);
        try (Transfers transfers = open(options);
                RdmaBuf buf = allocate(SIZE)) {
            for (int i = 1; i <= Patience.amount(20, 3); i++) {
                HomeGrant ending = home.memory().grantTo(context().peerId(), 64, 64, Access.READ_WRITE);
                RemoteBuf revoked = bufOf(home.memory(), ending);
                assertSucceeds(
                        transfers,
                        transfers.writeBatch().add(revoked, buf.view().first(8)));
                ending.takeBack();
                RdmaBuf held = allocate(64);
                MemorySegment memory = held.view().segment();
                BatchOp batch = transfers.writeBatch();
                for (int j = 0; j < 5; j++) {
                    batch.add(
                            j == 2 ? revoked : home.buf().subrange(128, 64),
                            held.view().first(8));
                }

                TransferResult failed = result(transfers, batch);

                assertThat(failed.status()).as(failed.toString()).isEqualTo(TransferStatus.FAILED);
                assertThat(failed.completionStatus()).contains(CompletionStatus.REM_ACCESS_ABORT_ERR);
                assertThat(failed.bytes()).isZero();
                assertRefused(UrmaStatus.ENOPERM, failed::orThrow);
                held.close();
                assertThat(memory.scope().isAlive()).as("nothing holds it").isFalse();
                buf.view().putLong(0, i);
                assertSucceeds(
                        transfers,
                        transfers.writeBatch().add(home.buf(), buf.view().first(8)));
                assertThat(home.memory().word(0)).isEqualTo(i);
            }
            assertThat(transfers.stats().unfinished()).isZero();
            assertThat(transfers.stats().waiting()).isZero();
        }
    }

    /** S14.26: memory that was freed under its view fails the batch, and what follows succeeds; no permit is lost. */
    @Rule({"S14.26", "S7.3"})
    @Test
    void requestWithoutItsMemoryFailsItsBatchAlone() {
        TransferOptions options = POLLED.toBuilder().perPost(5).maxUnfinished(5).build();
        Exported home = exported(SIZE);
        try (Transfers transfers = open(options);
                RdmaBuf buf = allocate(64)) {
            for (int i = 1; i <= 6; i++) {
                Arena arena = Arena.ofShared();
                BatchOp batch = transfers.writeBatch();
                try (RdmaBuf freed = RdmaBuf.wrap(arena.allocate(64), context())) {
                    for (int j = 0; j < 10; j++) {
                        batch.add(home.buf().last(64), j == 2 ? freed.view() : buf.view());
                    }
                    arena.close();

                    TransferResult failed = result(transfers, batch);

                    assertThat(failed.status()).isIn(TransferStatus.FAILED, TransferStatus.REFUSED);
                    assertThat(transfers.stats().unfinished()).isZero();
                }
                buf.view().putLong(0, i);
                assertSucceeds(transfers, transfers.writeBatch().add(home.buf(), buf.view()));
                assertThat(home.memory().word(0)).isEqualTo(i);
            }
        }
    }

    /** S14.26: what the home does not open is refused, and nothing stays held. */
    @Rule({"S14.26", "S14.32"})
    @Test
    void windowThatIsNotGrantedIsRefused() {
        HomeSegment memory = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE);
        HomeGrant grant = memory.grantTo(context().peerId(), 0, 64, Access.READ_WRITE);
        RemoteBuf never = bufOf(memory, grant);
        grant.takeBack();
        try (Transfers transfers = open(POLLED)) {
            RdmaBuf buf = allocate(64);
            MemorySegment bytes = buf.view().segment();
            BatchOp batch = transfers.readBatch().add(never, buf.view());

            assertThat(result(transfers, batch).isSuccess()).isFalse();

            awaitIdle(transfers, batch);
            buf.close();
            assertThat(bytes.scope().isAlive()).as("nothing holds it").isFalse();
            assertThat(transfers.stats().failed()).isEqualTo(1);
        }
    }

    // ---- time

    /** S14.27, S14.35: a home that does not answer the first use holds up neither the caller nor the result nor the buffers. */
    @Rule({"S14.27", "S14.35"})
    @Test
    void batchTimesOutWhileItsHomeIsAsked() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        Exported home = exported(SIZE);
        try (Transfers transfers = open(TransferOptions.DEFAULT)) {
            RdmaBuf buf = allocate(64);
            MemorySegment memory = buf.view().segment();
            BatchOp batch = transfers.readBatch().add(home.buf(), buf.view());
            processOfHome().stop();
            try {
                TransferResult late = batch.post(SHORT).join();
                buf.close();

                assertThat(late.status()).as(late.toString()).isEqualTo(TransferStatus.TIMED_OUT);
                assertRefused(UrmaStatus.ETIMEOUT, late::orThrow);
                awaitIdle(transfers, batch);
                assertThat(memory.scope().isAlive()).as("nothing was posted").isFalse();
                assertThat(transfers.stats().timedOut()).isEqualTo(1);
            } finally {
                processOfHome().proceed();
            }
        }
    }

    /** S14.35, S14.36: nor does a home that must be asked for a later window of an import block the thread that posts. */
    @Rule({"S14.35", "S14.36"})
    @Test
    void noThreadThatPostsWaitsForALaterWindow() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        Exported home = exported(SIZE);
        try (Transfers transfers = open(TransferOptions.DEFAULT);
                RdmaBuf buf = allocate(64)) {
            assertSucceeds(transfers, transfers.readBatch().add(home.buf(), buf.view()));
            PeerId absent = new PeerId(context().eid(), 77, 7);
            for (int i = 0; i < 5000; i++) {
                home.memory().grantTo(absent, 0, 8, Access.READ);
            }
            HomeGrant grant = home.memory().grantTo(context().peerId(), 0, 64, Access.READ);
            BatchOp batch = transfers.readBatch().add(bufOf(home.memory(), grant), buf.view());
            processOfHome().stop();
            try {
                long start = System.nanoTime();
                var result = batch.post(SHORT);

                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
                if (pair.device().attributes().capabilities().oneSided()) {
                    assertThat(result.join().status()).isEqualTo(TransferStatus.TIMED_OUT);
                }
            } finally {
                processOfHome().proceed();
            }
            awaitIdle(transfers, batch);
            assertSucceeds(transfers, batch);
        }
    }

    /** S14.26: what fails after the timeout does not change the result. */
    @Rule({"S14.26", "S14.38"})
    @Test
    void firstFailureStaysTheResult() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        assumeTrue(!pair.device().attributes().capabilities().oneSided(), "the device needs no answer");
        Exported home = exported(SIZE);
        Transfers transfers = open(TransferOptions.DEFAULT);
        try (RdmaBuf buf = allocate(64)) {
            transfers.read(home.buf(), buf.view()).join().orThrow();
            BatchOp batch = transfers.readBatch().add(home.buf(), buf.view());
            processOfHome().stop();
            try {
                assertThat(batch.post(SHORT).join().status()).isEqualTo(TransferStatus.TIMED_OUT);
                transfers.close();
            } finally {
                processOfHome().proceed();
            }
            Patience.await("the end of " + batch, batch::isIdle);
            assertThat(batch.result().status()).isEqualTo(TransferStatus.TIMED_OUT);
        }
    }

    /** S14.27, S14.9: after the timeout, the home's late answer still lands in memory that no other lease has. */
    @Rule({"S14.27", "S14.9"})
    @Test
    void buffersAreHeldUntilTheLastRequestHasEnded() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        assumeTrue(!pair.device().attributes().capabilities().oneSided(), "the device needs no answer");
        Exported home = exported(SIZE);
        try (Transfers transfers = open(TransferOptions.DEFAULT)) {
            RdmaBuf buf = allocate(SIZE);
            MemorySegment memory = buf.view().segment();
            transfers.write(home.buf(), buf.view()).join().orThrow();
            home.memory().fill(new Payload(5));
            BatchOp batch = transfers.readBatch().add(home.buf(), buf.view());
            processOfHome().stop();
            try {
                assertThat(batch.post(SHORT).join().status()).isEqualTo(TransferStatus.TIMED_OUT);
                buf.close();
                assertThat(memory.scope().isAlive()).as("it is held").isTrue();
                assertThat(batch.isDone()).isTrue();
                assertThat(batch.isIdle()).isFalse();
                assertRefused(UrmaStatus.EAGAIN, batch::clear).hasMessageContaining("last request");
                assertRefused(UrmaStatus.EAGAIN, () -> batch.post(SHORT));
                assertThat(transfers.stats().unfinished()).isEqualTo(1);
            } finally {
                processOfHome().proceed();
            }
            awaitIdle(transfers, batch);
            assertThat(memory.scope().isAlive()).isFalse();
        }
    }

    /** S14.36: requests to a home that is silent delay none to another. */
    @Rule("S14.36")
    @Test
    void silentHomeDelaysNoOther() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        Exported silent = exported(SIZE);
        Exported here = exported(pair.initiator().asHome(), SIZE, Access.READ_WRITE);
        try (Transfers transfers = open(TransferOptions.DEFAULT);
                RdmaBuf buf = allocate(SIZE)) {
            transfers.read(silent.buf(), buf.view()).join().orThrow();
            processOfHome().stop();
            try {
                for (int i = 0; i < 200; i++) {
                    transfers.readBatch().add(silent.buf(), buf.view()).submit(Patience.LIMIT);
                }
                for (int i = 0; i < 20; i++) {
                    transfers.read(here.buf(), buf.view()).join().orThrow();
                }
            } finally {
                processOfHome().proceed();
            }
        }
    }
}
