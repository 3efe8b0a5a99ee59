package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.buffer.BatchOp;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferResult;
import io.urma4j.buffer.TransferStatus;
import io.urma4j.buffer.Transfers;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: what transfers open of homes, and keep open; many threads; the end. */
public abstract class TransferQueuesContract extends TransferringContract {
    protected TransferQueuesContract(String device) {
        super(device);
    }

    // ---- what they open

    /** S14.35: beyond the limits, the least recently used are closed, and opened again for their next use. */
    @Rule("S14.35")
    @Test
    void leastRecentlyUsedWindowsAndImportsAreClosed() {
        TransferOptions options = POLLED.toBuilder().maxImports(2).maxWindows(3).build();
        List<Exported> homes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            homes.add(exported(SIZE));
        }
        try (Transfers transfers = open(options);
                RdmaBuf buf = allocate(8)) {
            for (int i = 1; i <= 20; i++) {
                Exported home = homes.get(i * i % 5);
                buf.view().putLong(0, i);
                assertSucceeds(transfers, transfers.writeBatch().add(home.buf(), buf.view()));
                assertThat(home.memory().word(0)).isEqualTo(i);
                assertThat(transfers.stats().windows()).isLessThanOrEqualTo(3);
                assertThat(transfers.stats().imports()).isLessThanOrEqualTo(2);
            }
            assertThat(transfers.stats().queues()).isEqualTo(1);
        }
        for (Exported home : homes) {
            Patience.await(
                    "the end of the imports", () -> home.memory().importers().isEmpty());
        }
    }

    /** S14.35: one batch may need more windows than stay open. */
    @Rule("S14.35")
    @Test
    void windowsInUseStayOpen() {
        TransferOptions options = POLLED.toBuilder().maxImports(1).maxWindows(1).build();
        try (Transfers transfers = open(options);
                RdmaBuf buf = allocate(8)) {
            buf.view().putLong(0, 9);
            List<Exported> homes = List.of(exported(SIZE), exported(SIZE), exported(SIZE));
            BatchOp batch = transfers.writeBatch();
            homes.forEach(home -> batch.add(home.buf(), buf.view()));

            assertSucceeds(transfers, batch);

            assertThat(homes).allMatch(home -> home.memory().word(0) == 9);
            Patience.await(
                    "no more open than the limits allow",
                    () -> transfers.stats().windows() <= 1 && transfers.stats().imports() <= 1);
        }
    }

    /** S14.35, S1.5: the same numbers of another life name other windows, and those of the earlier one open nothing. */
    @Rule({"S14.35", "S1.5"})
    @Test
    void windowOfAnEarlierLifeOfTheHomeIsNotUsed() {
        assumeTrue(topology() != Topology.LOOPBACK, "home and initiator are one context");
        Exported before = exported(SIZE);
        try (Transfers transfers = open(TransferOptions.DEFAULT);
                RdmaBuf buf = allocate(8)) {
            buf.view().putLong(0, 1);
            transfers.write(before.buf(), buf.view()).join().orThrow();

            pair.home().reopen();
            Exported after = exported(SIZE);
            buf.view().putLong(0, 2);
            transfers.write(after.buf(), buf.view()).join().orThrow();
            TransferResult stale = transfers
                    .writeBatch()
                    .add(before.buf(), buf.view())
                    .post(SHORT)
                    .join();

            assertThat(after.memory().word(0)).isEqualTo(2);
            assertThat(stale.isSuccess()).as(stale.toString()).isFalse();
        }
    }

    /** S14.35, S14.36: the queue to a home that died goes with its imports. */
    @Rule({"S14.35", "S12.4"})
    @Test
    void deadHomeLeavesNothingOpen() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        TransferOptions options = TransferOptions.builder()
                .silence(Patience.stretched(Duration.ofMillis(500)))
                .build();
        Exported home = exported(SIZE);
        try (Transfers transfers = open(options);
                RdmaBuf buf = allocate(8)) {
            transfers.write(home.buf(), buf.view()).join().orThrow();
            processOfHome().kill();
            Duration twoSeconds = Patience.stretched(Duration.ofSeconds(2));
            BatchOp batch = transfers.writeBatch().add(home.buf(), buf.view());

            Patience.await("a failure", () -> !batch.post(twoSeconds).join().isSuccess());

            awaitIdle(transfers, batch);
            Patience.await("the end of its import", () -> {
                batch.post(SHORT).join();
                awaitIdle(transfers, batch);
                return transfers.stats().imports() == 0 && transfers.stats().queues() == 0;
            });
        }
    }

    // ---- threads

    /** S14.37: any thread may post and poll. */
    @Rule({"S14.37", "S14.36"})
    @Test
    void threadsPostAtTheSameTime() {
        int threads = 4;
        int rounds = Patience.amount(50, 20);
        TransferOptions options =
                TransferOptions.builder().perPost(2).maxUnfinished(4).build();
        Exported home = exported((long) threads * SIZE);
        try (Transfers transfers = open(options)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                all.add(CompletableFuture.runAsync(() -> transfersOf(transfers, home, thread, rounds)));
            }
            all.forEach(CompletableFuture::join);
            assertThat(transfers.stats().succeeded()).isEqualTo(2L * threads * rounds);
            assertThat(transfers.stats().unfinished()).isZero();
        }
    }

    private void transfersOf(Transfers transfers, Exported home, int thread, int rounds) {
        try (RdmaBuf buf = allocate(2 * SIZE)) {
            var window = home.buf().subrange((long) thread * SIZE, SIZE);
            for (int i = 0; i < rounds; i++) {
                var source = buf.view().first(SIZE);
                var destination = buf.view().last(SIZE);
                fill(source, 31 * thread + i, 0);
                BatchOp batch = transfers.writeBatch();
                for (int j = 0; j < 8; j++) {
                    batch.add(window.subrange(512L * j, 512), source.subrange(512L * j, 512));
                }
                batch.post(Patience.LIMIT).join().orThrow();
                transfers.read(window, destination).join().orThrow();
                assertHas(destination, 31 * thread + i, 0);
            }
        }
    }

    /** S14.37: a future completes without locks: another thread can post and poll, while this one waits in its callback. */
    @Rule("S14.37")
    @Test
    void futureIsCompletedWithoutLocks() {
        Exported home = exported(SIZE);
        try (Transfers transfers = open(TransferOptions.DEFAULT);
                RdmaBuf buf = allocate(64)) {
            CompletableFuture<Boolean> second = transfers
                    .write(home.buf(), buf.view())
                    .thenApply(first -> CompletableFuture.supplyAsync(
                                    () -> result(transfers, transfers.read(home.buf(), buf.view())))
                            .thenApply(TransferResult::isSuccess)
                            .join());
            assertThat(second.orTimeout(Patience.THREADS_SECONDS, TimeUnit.SECONDS)
                            .join())
                    .isTrue();
        }
    }

    /** S14.25: a posted batch is not changed under its requests. */
    @Rule("S14.25")
    @Test
    void postedBatchCannotBeChanged() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        Exported home = exported(SIZE);
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(64)) {
            BatchOp batch = transfers.readBatch().add(home.buf(), buf.view());
            processOfHome().stop();
            try {
                batch.submit(Patience.LIMIT);
                assertThat(batch.isDone()).isFalse();
                assertRefused(UrmaStatus.EAGAIN, () -> batch.add(home.buf(), buf.view()))
                        .hasMessageContaining("is posted");
                assertRefused(UrmaStatus.EAGAIN, batch::clear);
                assertRefused(UrmaStatus.EAGAIN, () -> batch.submit(SHORT));
                assertRefused(UrmaStatus.EAGAIN, batch::result).hasMessageContaining("no result yet");
            } finally {
                processOfHome().proceed();
            }
            awaitIdle(transfers, batch);
            assertThat(batch.result().isSuccess()).isTrue();
        }
    }

    // ---- the end

    /** S14.38: what has not ended ends, with its holds; nothing can be posted afterwards. */
    @Rule({"S14.38", "S14.9"})
    @Test
    void closeEndsWhatHasNotEnded() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        Exported home = exported(SIZE);
        Transfers transfers = open(TransferOptions.DEFAULT);
        RdmaBuf buf = allocate(SIZE);
        MemorySegment memory = buf.view().segment();
        boolean stalls = !pair.device().attributes().capabilities().oneSided();
        if (stalls) { // else it stalls at the import
            transfers.read(home.buf(), buf.view()).join().orThrow();
        }
        List<CompletableFuture<TransferResult>> posted = new ArrayList<>();
        processOfHome().stop();
        try {
            for (int i = 0; i < 200; i++) {
                posted.add(transfers.read(home.buf(), buf.view()));
            }
            buf.close();
            assertThat(memory.scope().isAlive()).isTrue();
            if (stalls) {
                transfers.close();
            }
        } finally {
            processOfHome().proceed();
        }
        transfers.close();

        for (CompletableFuture<TransferResult> one : posted) {
            TransferResult result =
                    one.orTimeout(Patience.THREADS_SECONDS, TimeUnit.SECONDS).join();
            assertThat(result.status()).as(result.toString()).isIn(TransferStatus.CLOSED, TransferStatus.SUCCESS);
        }
        Patience.await("the end of the holds", () -> !memory.scope().isAlive());
    }

    /** S14.38: also by the end of its context, and twice. */
    @Rule({"S14.38", "S4.2"})
    @Test
    void closedTransfersRefuse() {
        Exported home = exported(SIZE);
        UrmaContext another = pair.device().openContext();
        Transfers ofAnother = Transfers.open(TransferOptions.DEFAULT, another);
        another.close();
        assertRefused(UrmaStatus.EINVAL, ofAnother::poll).hasMessageContaining("is closed");
        ofAnother.close();

        Transfers transfers = open(POLLED);
        try (RdmaBuf buf = allocate(64)) {
            BatchOp batch = transfers.readBatch().add(home.buf(), buf.view());
            assertSucceeds(transfers, batch);
            transfers.close();
            transfers.close();
            assertRefused(UrmaStatus.EINVAL, () -> batch.post(SHORT)).hasMessageContaining("is closed");
            assertRefused(UrmaStatus.EINVAL, () -> transfers.read(home.buf(), buf.view()));
            assertRefused(UrmaStatus.EINVAL, transfers::poll);
        }
        Patience.await("the end of the import", () -> home.memory().importers().isEmpty());
    }

    /** S14.35: contexts are those of the peer, and no other. */
    @Rule({"S14.35", "S14.28"})
    @Test
    void contextsAreThoseOfThePeer() {
        assertThat(open(POLLED).peer()).isEqualTo(Peer.of(context()));
        assertRefused(UrmaStatus.EINVAL, () -> Transfers.open(POLLED)).hasMessageContaining("number of contexts is 0");
        assertRefused(UrmaStatus.EINVAL, () -> Transfers.open(POLLED, context(), context()))
                .hasMessageContaining("twice");
        HomeSegment memory = pair.home().windowsOnlySegment(SIZE, Access.READ);
        HomeGrant grant = memory.grantTo(context().peerId(), 0, 64, Access.READ);
        var second =
                RemoteBuf.of(List.of(new RemoteBuf.Window(0, 1, memory.descriptor(), WindowKey.parse(grant.key()))));
        try (Transfers transfers = open(POLLED);
                RdmaBuf buf = allocate(64)) {
            assertRefused(UrmaStatus.EINVAL, () -> transfers.read(second, buf.view()))
                    .hasMessageContaining("no device that");
        }
    }
}
