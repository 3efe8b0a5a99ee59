package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.PoolStats;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.Scrub;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: leases of a pool, their operations, and the pool's budget. */
public abstract class PoolsContract extends Contract {
    private static final int KB = 1 << 10;
    private static final int SIZE = 4 * KB;

    private final CompletionBatch batch = new CompletionBatch(16);

    protected PoolsContract(String device) {
        super(device);
    }

    private UrmaContext context() {
        return pair.initiator().context();
    }

    private RegisteredBufferPool pool(PoolConfig config) {
        return RegisteredBufferPool.open(config, context());
    }

    private static RdmaBuf acquire(RegisteredBufferPool pool, long lengthBytes) {
        return pool.acquire(lengthBytes, Duration.ZERO);
    }

    private CompletionStatus awaitRecord(BufQueue queue) {
        CompletionBatch one = new CompletionBatch(1);
        Patience.await("a record in " + queue, () -> queue.poll(one) == 1);
        return one.status(0);
    }

    private void suspend(BufQueue queue) {
        queue.modify(QueueState.SUSPENDED);
        assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.WR_SUSPEND_DONE);
    }

    private static void assertIdle(RegisteredBufferPool pool) {
        PoolStats stats = pool.stats();
        assertThat(stats.leases()).as(stats.toString()).isZero();
        assertThat(stats.waiters()).as(stats.toString()).isZero();
        assertThat(stats.idleBytes()).as(stats.toString()).isEqualTo(stats.registeredBytes());
    }

    // ---- leases

    /** S14.5: each lease is a range of its own, at a page, whatever was leased before. */
    @Rule("S14.5")
    @Test
    void leasesNeverOverlap() {
        SplittableRandom random = Seed.randomFor("leasesNeverOverlap");
        TreeMap<Long, RdmaBuf> leases = new TreeMap<>();
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(1 << 20).build())) {
            for (int i = 0; i < Patience.amount(2_000, 200); i++) {
                if (leases.isEmpty() || random.nextInt(5) < 3) {
                    pool.tryAcquire(1 + random.nextInt(64 * KB)).ifPresent(buf -> addWithoutOverlap(leases, buf));
                } else {
                    RdmaBuf ended = List.copyOf(leases.values()).get(random.nextInt(leases.size()));
                    leases.values().remove(ended);
                    ended.close();
                }
            }
            leases.values().forEach(RdmaBuf::close);
            assertIdle(pool);
        }
    }

    private static void addWithoutOverlap(NavigableMap<Long, RdmaBuf> leases, RdmaBuf buf) {
        long start = buf.view().address();
        assertThat(start % SIZE).isZero();
        var before = leases.lowerEntry(start + buf.lengthBytes());
        assertThat(before == null || before.getKey() + before.getValue().lengthBytes() <= start)
                .as(buf + " and " + before)
                .isTrue();
        leases.put(start, buf);
    }

    /** S14.8: in a checked pool, also a segment that its user has kept ends with the lease. */
    @Rule({"S14.8", "S14.9"})
    @Test
    void segmentOfACheckedLeaseEndsWithIt() {
        PoolConfig config = PoolConfig.builder(1 << 20).checked(true).build();
        UrmaContext context = pair.initiator().context();
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(config, context)) {
            RdmaBuf first = pool.acquire(4096, Duration.ZERO);
            MemorySegment kept = first.view().segment();
            kept.set(JAVA_BYTE, 0, (byte) 7);
            first.close();
            try (RdmaBuf second = pool.acquire(4096, Duration.ZERO)) {
                second.view().putByte(0, (byte) 9);

                assertThatThrownBy(() -> kept.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> kept.set(JAVA_BYTE, 0, (byte) 7)).isInstanceOf(IllegalStateException.class);
                assertThat(second.view().getByte(0)).isEqualTo((byte) 9);
            }
            assertThat(pool.stats().leases()).isZero();
        }
    }

    /** S14.5: neighbours in one slab; operations move the bytes of their lease, and none of the others. */
    @Rule({"S14.5", "S14.9"})
    @Test
    void operationsMoveTheBytesOfTheirLease() {
        int count = 6;
        var imported = pair.imported((long) count * SIZE);
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, count));
                BufQueue queue = BufQueue.open(context())) {
            List<RdmaBuf> leases = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                RdmaBuf buf = acquire(pool, SIZE);
                new Payload(i).fill(buf.view().segment(), 0, 0, SIZE);
                leases.add(buf);
                assertThat(queue.write(imported.remote(), (long) i * SIZE, buf.view(), i))
                        .isTrue();
                assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            }
            RdmaBuf middle = leases.get(2);
            assertThat(queue.read(imported.remote(), 5L * SIZE, middle.view(), 99))
                    .isTrue();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);

            for (int i = 0; i < count; i++) {
                assertThat(imported.home().firstDifference(new Payload(i), (long) i * SIZE, 0, SIZE))
                        .isEqualTo(-1);
                MemorySegment bytes = leases.get(i).view().segment();
                assertThat(new Payload(i == 2 ? 5 : i).firstDifference(bytes, 0, 0, SIZE))
                        .isEqualTo(-1);
            }
            leases.forEach(RdmaBuf::close);
        }
    }

    /** S14.6: also what an operation wrote. */
    @Rule("S14.6")
    @Test
    void scrubbedMemoryReadsZero() {
        var imported = pair.imported(SIZE);
        imported.home().fill(new Payload(6));
        PoolConfig config =
                PoolConfig.fixed(SIZE, 1).toBuilder().scrub(Scrub.ON_RELEASE).build();
        try (RegisteredBufferPool pool = pool(config);
                BufQueue queue = BufQueue.open(context())) {
            RdmaBuf first = acquire(pool, SIZE);
            assertThat(queue.read(imported.remote(), 0, first.view(), 1)).isTrue();
            first.close(); // in flight
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            try (RdmaBuf next = acquire(pool, SIZE)) {
                assertThat(next.view().segment().mismatch(MemorySegment.ofArray(new byte[SIZE])))
                        .isEqualTo(-1);
            }
        }
    }

    /** S14.7: the second close of a handle is not that of the next owner. */
    @Rule("S14.7")
    @Test
    void closingALeaseTwiceReturnsItOnce() {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
        RdmaBuf first = acquire(pool, SIZE);
        first.close();
        RdmaBuf second = acquire(pool, SIZE);
        first.close();
        assertThat(pool.tryAcquire(SIZE)).isEmpty();
        pool.close();
        second.close();
        PoolStats before = pool.stats();
        second.close();
        assertThat(pool.stats()).isEqualTo(before);
    }

    /** S14.8: the memory is the same, and the old view does not see it. */
    @Rule("S14.8")
    @Test
    void staleViewNeverReadsTheNextOwnersBytes() {
        var imported = pair.imported(SIZE);
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
                BufQueue queue = BufQueue.open(context())) {
            RdmaBuf first = acquire(pool, SIZE);
            RdmaBuf retained = first.retain();
            BufView view = first.view();
            long address = view.address();
            first.close();
            assertThat(pool.tryAcquire(SIZE)).isEmpty();
            retained.close();

            try (RdmaBuf next = acquire(pool, SIZE)) {
                next.view().putLong(0, 42);
                assertThat(next.view().address()).isEqualTo(address);
                assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0)).hasMessageContaining("is closed");
                assertRefused(UrmaStatus.EINVAL, () -> view.putLong(0, 1)).hasMessageContaining("is closed");
                assertRefused(UrmaStatus.EINVAL, () -> queue.write(imported.remote(), 0, view, 1));
                assertThat(next.view().getLong(0)).isEqualTo(42);
            }
        }
    }

    // ---- operations

    /** S14.9: the next owner gets the memory after the record, and not before. */
    @Rule("S14.9")
    @Test
    void memoryInFlightIsNotLeasedAgain() {
        var imported = pair.imported(SIZE);
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
                BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            RdmaBuf buf = acquire(pool, SIZE);
            buf.view().putLong(0, 0x1234);
            assertThat(queue.write(imported.remote(), 0, buf.view().first(8), 1))
                    .isTrue();
            buf.close();
            assertThat(queue.poll(batch)).isZero();
            assertThat(pool.tryAcquire(SIZE)).isEmpty();

            queue.modify(QueueState.READY);
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);

            acquire(pool, SIZE).close();
            assertThat(imported.home().word(0)).isEqualTo(0x1234);
        }
    }

    /** S14.9: leases are closed at random while operations of the same slab are in flight. */
    @Rule({"S14.9", "S14.10"})
    @Test
    void leasesThatAreClosedAtRandomLoseNoByte() {
        int slots = 8;
        int operations = Patience.amount(600, 40);
        SplittableRandom random = Seed.randomFor("leasesThatAreClosedAtRandomLoseNoByte");
        var imported = pair.imported((long) slots * SIZE);
        int[] last = new int[slots]; // the operation that wrote there, from 1 on
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 16));
                BufQueue queue = BufQueue.open(context())) {
            int polled = 0;
            for (int i = 1; i <= operations; i++) {
                var leased = pool.tryAcquire(SIZE);
                while (leased.isEmpty() || (i - 1 > polled && random.nextInt(4) == 0)) {
                    assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
                    polled++;
                    leased = leased.isEmpty() ? pool.tryAcquire(SIZE) : leased;
                }
                try (RdmaBuf buf = leased.get()) {
                    new Payload(i).fill(buf.view().segment(), 0, 0, SIZE);
                    int slot = random.nextInt(slots);
                    assertThat(queue.write(imported.remote(), (long) slot * SIZE, buf.view(), i))
                            .isTrue();
                    last[slot] = i;
                }
            }
            for (; polled < operations; polled++) {
                assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            }
            assertIdle(pool);
        }
        for (int slot = 0; slot < slots; slot++) {
            if (last[slot] > 0) {
                assertThat(imported.home().firstDifference(new Payload(last[slot]), (long) slot * SIZE, 0, SIZE))
                        .as("slot %d, operation %d", slot, last[slot])
                        .isEqualTo(-1);
            }
        }
    }

    // ---- budget

    /** S14.10: after successes, refusals, timeouts and cancels, everything is idle again. */
    @Rule("S14.10")
    @Test
    void budgetIsConserved() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(256 * KB).build())) {
            List<RdmaBuf> leases = new ArrayList<>(pool.acquireAll(new long[] {SIZE, 64 * KB, 100}, Duration.ZERO));
            leases.add(acquire(pool, 128 * KB));
            assertRefused(UrmaStatus.ETIMEOUT, () -> acquire(pool, 256 * KB));
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquire(256 * KB, Duration.ofMillis(5)));
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquireAll(new long[] {SIZE, 64 * KB}, Duration.ZERO));
            var cancelled = pool.acquireAsync(256 * KB);
            assertThat(cancelled.cancel(true)).isTrue();
            assertThat(pool.stats().registeredBytes()).isLessThanOrEqualTo(256 * KB);
            leases.forEach(RdmaBuf::close);
            assertIdle(pool);
            acquire(pool, 256 * KB).close();
            pool.trim();
            assertThat(pool.stats().registeredBytes()).isZero();
        }
    }

    /** S14.11: the machine refuses a slab: exactly its request fails, with the device and errno, and nothing is left of it. */
    @Rule("S14.11")
    @Test
    void refusedSlabIsUndone() {
        long tooMuch = 1L << 42; // more than the machine has
        String device = context().device().name();
        try (UrmaContext other = context().device().openContext();
                RegisteredBufferPool pool =
                        RegisteredBufferPool.open(PoolConfig.builder(tooMuch).build(), context(), other)) {
            RdmaBuf before = acquire(pool, SIZE);
            long registered = pool.stats().registeredBytes();
            for (int i = 0; i < 3; i++) { // a part of the budget that was lost would end the second one with ETIMEOUT
                assertRefused(UrmaStatus.ENOMEM, () -> acquire(pool, tooMuch / 2))
                        .hasMessageContaining("device " + device)
                        .hasMessageContaining("1 of 2")
                        .hasMessageContaining("errno 12");
                assertThat(pool.stats().registeredBytes()).isEqualTo(registered);
            }
            before.close();
            assertIdle(pool);
        }
    }

    /** S14.23: what is leased stays; the rest goes after a while, down to the soft limit. */
    @Rule("S14.23")
    @Test
    void idleMemoryAboveTheSoftLimitIsFreed() {
        PoolConfig config = PoolConfig.builder(16 * 64 * KB)
                .softBytes(4 * 64 * KB)
                .idleTrim(Duration.ofMillis(20))
                .build();
        try (RegisteredBufferPool pool = pool(config)) {
            List<RdmaBuf> leases = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                leases.add(acquire(pool, 64 * KB)); // a slab each
            }
            RdmaBuf kept = leases.removeFirst();
            kept.view().putLong(0, 5);
            leases.forEach(RdmaBuf::close);

            Patience.await("idle slabs to be freed", () -> pool.stats().registeredBytes() == 4 * 64 * KB);
            assertThat(kept.view().getLong(0)).isEqualTo(5);
            kept.close();
        }
    }

    // ---- the end

    /** S14.16: leases that are out still serve operations; their end is the end of the memory. */
    @Rule("S14.16")
    @Test
    void leasesOutliveTheClosedPool() {
        var imported = pair.imported(SIZE);
        RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 2));
        RdmaBuf buf = acquire(pool, SIZE);
        MemorySegment memory = buf.view().segment();
        var drained = pool.drain();
        try (BufQueue queue = BufQueue.open(context())) {
            buf.view().putLong(0, 77);
            assertThat(queue.write(imported.remote(), 0, buf.view(), 1)).isTrue();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
        }
        assertThat(imported.home().word(0)).isEqualTo(77);
        assertRefused(UrmaStatus.EINVAL, () -> acquire(pool, SIZE)).hasMessageContaining("is closed");
        assertThat(drained).isNotDone();

        buf.close();

        assertThat(drained).isCompleted();
        assertThat(memory.scope().isAlive()).isFalse();
    }

    /** S14.17: views are stale at once; an operation in flight ends, and then its memory goes. */
    @Rule("S14.17")
    @Test
    void closeNowEndsLeasesAndHangsNoOperation() {
        var imported = pair.imported(SIZE);
        RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 2));
        RdmaBuf busy = acquire(pool, SIZE);
        RdmaBuf idle = acquire(pool, SIZE);
        BufView view = idle.view();
        busy.view().putLong(0, 8);
        MemorySegment memory = busy.view().segment();
        try (BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            assertThat(queue.write(imported.remote(), 0, busy.view(), 1)).isTrue();

            pool.closeNow();

            assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0)).hasMessageContaining("is closed");
            assertRefused(UrmaStatus.EINVAL, () -> busy.view().size()).hasMessageContaining("is closed");
            assertThat(memory.scope().isAlive()).isTrue();
            queue.modify(QueueState.READY);
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(memory.scope().isAlive()).isFalse();
        }
        assertThat(pool.drain()).isCompleted();
        busy.close();
        idle.close();
    }
}
