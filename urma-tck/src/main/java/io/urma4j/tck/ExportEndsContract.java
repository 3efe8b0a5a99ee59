package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.PeerId;
import io.urma4j.QueueState;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: the end of leases whose buffers a peer uses. */
public abstract class ExportEndsContract extends ExportingContract {
    protected ExportEndsContract(String device) {
        super(device);
    }

    // ---- the end of a lease

    /** S14.18: the old windows open nothing, by old handles or by old keys, and the next owner's bytes are intact. */
    @Rule("S14.18")
    @Test
    void releasedBufferIsOutOfReach() {
        try (RegisteredBufferPool pool = pool(1)) {
            RdmaBuf first = filled(pool, 1);
            RemoteBuf old = exported(first, Access.READ_WRITE_ATOMIC);
            HomeRemoteBuf remote = opened(old);
            assertThat(remote.write(0, bytes(7, 64)).status()).isEqualTo(CompletionStatus.SUCCESS);
            RdmaBuf retained = first.retain();
            first.close();
            assertThat(remote.write(0, bytes(8, 64)).status()).isEqualTo(CompletionStatus.SUCCESS);
            retained.close();

            try (RdmaBuf next = filled(pool, 2)) {
                assertThat(next.view().address()).isEqualTo(old.address());
                RemoteBuf current = exported(next, Access.READ_WRITE);
                HomeRemoteBuf currentRemote = opened(current);
                for (HomeRemoteBuf stale : List.of(remote, opened(old))) {
                    assertThat(stale.write(0, bytes(9, 64)).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                    assertThat(stale.read(0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                    assertThat(stale.addOne(0).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                }
                assertHolds(next, 2);
                assertThat(currentRemote.write(0, bytes(2, 64)).status()).isEqualTo(CompletionStatus.SUCCESS);
                assertHolds(next, 2);
            }
            assertIdle(pool);
        }
    }

    /** S14.18, S14.19: random exports and ends of leases; each peer's operation reaches its own lease, or nothing. */
    @Rule({"S14.18", "S14.19", "S14.5"})
    @Test
    void randomExportsReachTheirOwnLeaseAlone() {
        SplittableRandom random = Seed.randomFor("randomExportsReachTheirOwnLeaseAlone");
        int count = 6;
        Peer peer = peer();
        List<Exported> live = new ArrayList<>();
        List<HomeRemoteBuf> stale = new ArrayList<>();
        try (RegisteredBufferPool pool = pool(count)) {
            for (int step = 1; step <= Patience.amount(400, 60); step++) {
                if (live.size() < count && (live.isEmpty() || random.nextInt(3) == 0)) {
                    RdmaBuf buf = filled(pool, step);
                    RemoteBuf exported = buf.exportTo(peer, buf.view(), Access.READ_WRITE);
                    live.add(new Exported(buf, exported, opened(exported), step));
                } else if (random.nextInt(3) == 0) {
                    Exported ended = live.remove(random.nextInt(live.size()));
                    if (random.nextBoolean()) {
                        assertThat(ended.buf.takeBack(ended.exported)).isTrue();
                    }
                    ended.buf.close();
                    stale.add(ended.remote);
                } else if (random.nextBoolean() && !stale.isEmpty()) {
                    HomeRemoteBuf old = stale.get(random.nextInt(stale.size()));
                    assertThat(old.write(0, bytes(step, SIZE)).status())
                            .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                } else {
                    int index = random.nextInt(live.size());
                    Exported used = live.get(index);
                    assertThat(used.remote.write(0, bytes(step, SIZE)).status()).isEqualTo(CompletionStatus.SUCCESS);
                    live.set(index, new Exported(used.buf, used.exported, used.remote, step));
                }
                live.forEach(one -> assertHolds(one.buf, one.payload));
            }
            live.forEach(one -> one.buf.close());
            assertIdle(pool);
        }
    }

    /** A lease, what the peer has of it, and the last payload that either has written. */
    private record Exported(RdmaBuf buf, RemoteBuf exported, HomeRemoteBuf remote, int payload) {}

    /** S14.18: an export may end before its lease, and others stay. */
    @Rule("S14.18")
    @Test
    void exportMayEndBeforeItsLease() {
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = filled(pool, 1)) {
            RemoteBuf first = exported(buf, Access.READ_WRITE);
            RemoteBuf second = exported(buf, Access.READ_WRITE);
            HomeRemoteBuf ended = opened(first);
            HomeRemoteBuf kept = opened(second);

            assertThat(buf.takeBack(first.subrange(8, 8))).isTrue();
            assertThat(buf.takeBack(first)).isTrue();

            assertThat(ended.write(0, new byte[8]).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            assertHolds(buf, 1);
            assertThat(kept.write(0, bytes(1, 8)).status()).isEqualTo(CompletionStatus.SUCCESS);
        }
    }

    /** S14.18: revoked with the last handle, though an operation of this process still holds the buffer. */
    @Rule({"S14.18", "S14.9"})
    @Test
    void windowsEndWithTheLeaseAndNotWithItsOperations() {
        var imported = pair.imported(SIZE);
        try (RegisteredBufferPool pool = pool(1);
                BufQueue queue = BufQueue.open(context())) {
            RdmaBuf buf = filled(pool, 1);
            HomeRemoteBuf remote = opened(exported(buf, Access.READ_WRITE));
            assertThat(remote.read(0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
            CompletionBatch batch = suspend(queue);
            assertThat(queue.write(imported.remote(), 0, buf.view(), 1)).isTrue();
            MemorySegment bytes = buf.view().segment();

            buf.close();

            assertThat(remote.write(0, bytes(9, 64)).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            assertThat(new Payload(1).firstDifference(bytes, 0, 0, SIZE)).isEqualTo(-1);
            queue.modify(QueueState.READY);
            Patience.await("the record", () -> queue.poll(batch) == 1);
            assertThat(imported.home().firstDifference(new Payload(1), 0, 0, SIZE))
                    .isEqualTo(-1);
            assertIdle(pool);
        }
    }

    /** S14.18: the buffer with an operation in progress waits for it, and no other does. */
    @Rule("S14.18")
    @Test
    void bufferInUseIsQuarantinedAlone() {
        assumeTrue(pair.device().attributes().capabilities().mappable(), "a network device refuses each later packet");
        var unready = pair.initiator().asHome().receiver();
        try (RegisteredBufferPool pool = pool(2)) {
            RdmaBuf busy = filled(pool, 1);
            long address = busy.view().address();
            HomeRemoteBuf remote = opened(exported(busy, Access.READ_WRITE));
            remote.hold(unready.shared());

            long begun = System.nanoTime();
            busy.close();
            assertThat(System.nanoTime() - begun).as("the close does not wait").isLessThan(1_000_000_000L);

            assertThat(pool.stats().quarantined()).isEqualTo(1);
            assertThat(pool.stats().quarantinedBytes()).isEqualTo(SIZE);
            try (RdmaBuf other = acquire(pool)) {
                assertThat(other.view().address()).isNotEqualTo(address);
                assertThat(pool.tryAcquire(SIZE)).isEmpty();
                opened(exported(other, Access.READ_WRITE)).write(0, bytes(3, 64));
            }
            unready.receive(pair.initiator().asHome().segment(SIZE, Access.READ_WRITE), 0, 8, 1);

            Patience.await("the buffer", () -> pool.stats().quarantined() == 0);
            List<RdmaBuf> both =
                    pool.acquireAll(new long[] {SIZE, SIZE}, Duration.ofSeconds(5)); // it is just being freed
            both.forEach(RdmaBuf::close);
            assertIdle(pool);
        }
    }

    /** S14.18: a request that waits gets the buffer as soon as its windows are quiet. */
    @Rule({"S14.18", "S14.12"})
    @Test
    void waiterGetsAQuarantinedBufferWhenItIsQuiet() {
        assumeTrue(pair.device().attributes().capabilities().mappable(), "a network device refuses each later packet");
        var unready = pair.initiator().asHome().receiver();
        try (RegisteredBufferPool pool = pool(1)) {
            RdmaBuf busy = acquire(pool);
            HomeRemoteBuf remote = opened(exported(busy, Access.READ_WRITE));
            remote.hold(unready.shared());
            var waiting = pool.acquireAsync(SIZE);
            busy.close();
            assertThat(waiting).isNotDone();
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquire(SIZE, Duration.ofMillis(5)));

            unready.receive(pair.initiator().asHome().segment(SIZE, Access.READ_WRITE), 0, 8, 1);

            Patience.await("the buffer", waiting::isDone);
            waiting.join().close();
        }
    }

    /** S14.18, S12.4: a dead peer keeps no buffer, and a stopped one its own alone. */
    @Rule({"S14.18", "S12.4"})
    @Test
    void deadPeerKeepsNoBufferAndAStoppedOneItsOwnAlone() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var unready = pair.initiator().asHome().receiver();
        try (RegisteredBufferPool pool = pool(4)) {
            RdmaBuf busy = filled(pool, 1);
            RdmaBuf unused = filled(pool, 2);
            HomeRemoteBuf remote = opened(exported(busy, Access.READ_WRITE));
            exported(unused, Access.READ_WRITE);
            remote.hold(unready.shared());
            processOfHome().stop();
            try {
                unused.close();
                busy.close();
                for (int i = 0; i < Patience.amount(1000, 100); i++) {
                    acquire(pool).close();
                }
                int kept = pair.device().attributes().capabilities().mappable() ? 1 : 0;
                assertThat(pool.stats().quarantined()).isEqualTo(kept);
                assertThat(pool.stats().leases()).isEqualTo(kept);
            } finally {
                processOfHome().proceed();
            }

            processOfHome().kill();

            Patience.await("the end of the quarantine", () -> pool.stats().quarantined() == 0);
            assertIdle(pool);
        }
    }

    /** S14.17: from the moment when it returns, old windows open nothing. */
    @Rule({"S14.17", "S14.18"})
    @Test
    void closeNowEndsTheWindows() {
        RegisteredBufferPool pool = pool(2);
        RdmaBuf buf = filled(pool, 1);
        HomeRemoteBuf remote = opened(exported(buf, Access.READ_WRITE));
        assertThat(remote.write(0, bytes(1, 8)).status()).isEqualTo(CompletionStatus.SUCCESS);

        pool.closeNow();

        assertThat(remote.write(0, new byte[8]).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertRefused(UrmaStatus.EINVAL, () -> exported(buf, Access.READ)).hasMessageContaining("is closed");
        Patience.await("the memory to go", () -> pool.drain().isDone());
        buf.close();
    }

    /** S14.17: also of a lease whose memory an operation of this process holds. */
    @Rule({"S14.17", "S14.18"})
    @Test
    void closeNowEndsTheWindowsOfMemoryInFlight() {
        var imported = pair.imported(SIZE);
        RegisteredBufferPool pool = pool(1);
        RdmaBuf buf = filled(pool, 1);
        HomeRemoteBuf remote = opened(exported(buf, Access.READ_WRITE));
        MemorySegment bytes = buf.view().segment();
        try (BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            assertThat(queue.write(imported.remote(), 0, buf.view(), 1)).isTrue();

            pool.closeNow();

            assertThat(remote.write(0, bytes(9, 64)).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            assertThat(new Payload(1).firstDifference(bytes, 0, 0, SIZE)).isEqualTo(-1);
        }
        Patience.await("the memory to go", () -> pool.drain().isDone());
        buf.close();
    }

    /** S14.10: many exports of many leases leave nothing behind, in the pool or at the device. */
    @Rule({"S14.10", "S14.18"})
    @Test
    void exportsLeaveNothingBehind() {
        Peer absent = new Peer(List.of(new Peer.Member(
                peer().contexts().getFirst().provider(), new PeerId(context().eid(), 77, 7))));
        try (RegisteredBufferPool pool = pool(2)) {
            for (int i = 0; i < Patience.amount(70_000, 5_000); i++) { // more than there are windows
                try (RdmaBuf buf = acquire(pool)) {
                    buf.exportTo(absent, buf.view().first(1 + i % SIZE), Access.READ);
                }
            }
            assertIdle(pool);
        }
    }
}
