package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * S14.5, S14.10, S14.12: random requests, leases, cancels and failures against a model of overlap, budget and order. {@code
 * -Durma.seed=N} replays a run.
 */
@Timeout(600)
class PoolModelTest {
    private static final int POOLS = Boolean.getBoolean("urma.full") ? 400 : 40;
    private static final int STEPS = 2_500; // of each pool
    private static final int MOST_WAITERS = 12;
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final AcquireOptions ordinary = AcquireOptions.DEFAULT.withExecutor(Runnable::run);

    @Test
    void leasesNeverOverlapAndTheBudgetIsConserved() {
        int leases = 0;
        int waits = 0;
        for (int i = 0; i < POOLS; i++) {
            Run run = new Run(random.split());
            leases += run.play("pool " + i);
            waits += run.waits;
        }
        assertThat(leases).isGreaterThan(POOLS * STEPS / 20);
        assertThat(waits).isGreaterThan(POOLS * STEPS / 100);
    }

    /** A lease as the model has it; its first and last words have the tag. */
    private record Lease(long tag, List<RdmaBuf> handles, BufView view, long address, long lengthBytes) {}

    /** A request in the queue. */
    private record Waiting(long lengthBytes, boolean isControl, CompletableFuture<RdmaBuf> future) {}

    /** One pool. */
    private final class Run {
        private final SplittableRandom random;
        private final PlainSlabs slabs = new PlainSlabs();
        private final PoolConfig config;
        private final RegisteredBufferPool pool;
        private final List<Lease> leases = new ArrayList<>();
        private final List<Waiting> waiting = new ArrayList<>(); // in order of arrival
        private final List<Block> held = new ArrayList<>(); // by operations whose lease may be over
        private final IdentityHashMap<Lease, Block> blocks =
                new IdentityHashMap<>(); // of the leases that operations hold
        private final List<BufView> stale = new ArrayList<>();
        private final TreeMap<Long, Long> ranges = new TreeMap<>(); // start and end of all memory in use
        private long lastTag;
        private int waits;

        Run(SplittableRandom random) {
            this.random = random;
            this.config = randomConfig();
            this.pool = RegisteredBufferPool.over(config, slabs::make, Runnable::run);
        }

        private PoolConfig randomConfig() {
            if (random.nextInt(4) == 0) {
                return PoolConfig.fixed(1 + random.nextInt(20_000), 1 + random.nextInt(12));
            }
            long pages = 8L + random.nextInt(120);
            return PoolConfig.builder(pages * 4096)
                    .reserveBytes(random.nextBoolean() ? 0 : (1 + random.nextInt(4)) * 4096L)
                    .slabBytes(4096L << random.nextInt(6))
                    .build();
        }

        int play(String name) {
            int step = 0;
            try {
                for (; step < STEPS; step++) {
                    step();
                    settle();
                    check();
                }
                end();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        name + ", step " + step + ", " + pool + "; replay with -Durma.seed=" + SEED, e);
            }
            return (int) lastTag;
        }

        private void step() {
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> acquireAsync();
                case 3, 4 -> tryAcquire();
                case 5 -> acquireAll();
                case 6, 7, 8, 9 -> close();
                case 10 -> cancel();
                case 11 -> operation();
                case 12 -> retain();
                default -> disturb();
            }
        }

        private long randomLength() {
            long longest = config.longestBytes(false);
            return random.nextInt(8) == 0
                    ? 1 + random.nextLong(longest)
                    : 1 + random.nextLong(Math.min(longest, 4096L << random.nextInt(5)));
        }

        private AcquireOptions randomOptions() {
            return random.nextInt(6) == 0 ? ordinary.withControl() : ordinary;
        }

        private void acquireAsync() {
            if (waiting.size() < MOST_WAITERS) {
                long length = randomLength();
                AcquireOptions options = randomOptions();
                Waiting request = new Waiting(length, options.isControl(), pool.acquireAsync(length, options));
                waiting.add(request);
                waits += request.future.isDone() ? 0 : 1;
            }
        }

        private void tryAcquire() {
            long length = randomLength();
            AcquireOptions options = randomOptions();
            try {
                var got = pool.tryAcquire(length, options);
                got.ifPresent(buf -> leased(buf, length));
                assertThat(got.isPresent() && !options.isControl() && isAnyWaiting())
                        .as("overtook a waiter")
                        .isFalse();
            } catch (UrmaException e) {
                assertThat(e.status()).isEqualTo(UrmaStatus.ENOMEM);
            }
        }

        private boolean isAnyWaiting() {
            return waiting.stream().anyMatch(this::isWaitingForOrdinary);
        }

        /** A control request does, too, unless only the reserve can serve it. */
        private boolean isWaitingForOrdinary(Waiting request) {
            return !request.future.isDone()
                    && config.classes().blockBytesFor(request.lengthBytes) <= config.ordinaryBytes();
        }

        private void acquireAll() {
            long[] lengths = new long[1 + random.nextInt(4)];
            for (int i = 0; i < lengths.length; i++) {
                lengths[i] = randomLength();
            }
            try {
                List<RdmaBuf> all = pool.acquireAll(lengths, Duration.ZERO);
                for (int i = 0; i < lengths.length; i++) {
                    leased(all.get(i), lengths[i]);
                }
            } catch (UrmaException e) {
                assertThat(e.status()).isIn(UrmaStatus.ENOMEM, UrmaStatus.ETIMEOUT, UrmaStatus.EINVAL);
            }
        }

        private void leased(RdmaBuf buf, long length) {
            BufView view = buf.view();
            assertThat(view.size()).isEqualTo(length);
            long start = view.address();
            assertThat(start % 4096).isZero();
            Map.Entry<Long, Long> before = ranges.lowerEntry(start + length);
            assertThat(before == null || before.getValue() <= start)
                    .as("[%d, %d) overlaps %s", start, start + length, before)
                    .isTrue();
            ranges.put(start, start + length);
            Lease lease = new Lease(++lastTag, new ArrayList<>(List.of(buf)), view, start, length);
            mark(lease);
            leases.add(lease);
        }

        private void mark(Lease lease) {
            lease.view.putByte(0, (byte) lease.tag);
            lease.view.putByte(lease.lengthBytes - 1, (byte) lease.tag);
        }

        private Lease anyLease() {
            return leases.get(random.nextInt(leases.size()));
        }

        private void close() {
            if (leases.isEmpty()) {
                return;
            }
            Lease lease = anyLease();
            assertThat(lease.view.getByte(0)).isEqualTo((byte) lease.tag);
            assertThat(lease.view.getByte(lease.lengthBytes - 1)).isEqualTo((byte) lease.tag);
            RdmaBuf handle = lease.handles.removeLast();
            if (lease.handles.isEmpty()) {
                leases.remove(lease);
                stale.add(lease.view);
                if (!held.contains(blocks.get(lease))) {
                    ranges.remove(lease.address);
                }
            }
            handle.close();
            handle.close(); // once more
        }

        private void operation() {
            if (!held.isEmpty() && random.nextBoolean()) {
                unhold();
            } else if (!leases.isEmpty() && held.size() < 4) {
                Lease lease = anyLease();
                Block block = lease.view.hold();
                blocks.put(lease, block);
                held.add(block);
            }
        }

        private void unhold() {
            Block block = held.remove(random.nextInt(held.size()));
            blocks.forEach((lease, its) -> {
                if (its == block && lease.handles.isEmpty() && !held.contains(block)) {
                    ranges.remove(lease.address);
                }
            });
            blocks.entrySet().removeIf(entry -> !held.contains(entry.getValue()));
            block.unhold();
        }

        private void retain() {
            if (!leases.isEmpty()) {
                Lease lease = anyLease();
                lease.handles.add(lease.handles.getFirst().retain());
            }
        }

        private void cancel() {
            if (!waiting.isEmpty()) {
                waiting.get(random.nextInt(waiting.size())).future.cancel(random.nextBoolean());
            }
        }

        private void disturb() {
            switch (random.nextInt(3)) {
                case 0 -> pool.trim();
                case 1 -> slabs.refuseNext(random.nextInt(2));
                default -> {
                    if (!stale.isEmpty()) {
                        BufView view = stale.remove(random.nextInt(stale.size()));
                        assertThat(view.isValid()).isFalse();
                    }
                }
            }
        }

        /** What the last step gave to the waiters. */
        private void settle() {
            List<Waiting> done =
                    waiting.stream().filter(request -> request.future.isDone()).toList();
            for (Waiting request : done) {
                if (!request.future.isCompletedExceptionally() && !request.isControl) {
                    Waiting first = waiting.stream()
                            .filter(this::isWaitingForOrdinary)
                            .findFirst()
                            .orElse(null);
                    assertThat(first == null || waiting.indexOf(first) > waiting.indexOf(request))
                            .as("served out of order")
                            .isTrue();
                }
            }
            waiting.removeAll(done);
            for (Waiting request : done) {
                if (!request.future.isCompletedExceptionally()) {
                    leased(request.future.join(), request.lengthBytes);
                }
            }
        }

        private void check() {
            PoolStats stats = pool.stats();
            long inUse = leases.size() + orphans();
            assertThat(stats.leases()).as("leases").isEqualTo(inUse);
            assertThat(stats.registeredBytes()).isEqualTo(slabs.liveBytes()).isLessThanOrEqualTo(config.maxBytes());
            assertThat(stats.waiters()).isEqualTo(waiting.size());
            if (inUse == 0) {
                assertThat(waiting).as("waiters of an idle pool").isEmpty();
                assertThat(stats.idleBytes()).isEqualTo(stats.registeredBytes());
            }
        }

        /** Leases that are over, but held by operations. */
        private long orphans() {
            return blocks.keySet().stream()
                    .filter(lease -> lease.handles.isEmpty())
                    .count();
        }

        private void end() {
            slabs.refuseNext(0);
            while (!leases.isEmpty() || !held.isEmpty() || !waiting.isEmpty()) {
                close();
                if (!held.isEmpty()) {
                    unhold();
                }
                settle();
                check();
            }
            pool.trim();
            assertThat(slabs.liveBytes()).isZero();
            assertThat(slabs.mostBytes()).isLessThanOrEqualTo(config.maxBytes());
            assertThat(pool.drain()).isCompleted();
        }
    }
}
