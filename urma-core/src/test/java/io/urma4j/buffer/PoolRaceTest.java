package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S14.10, S14.14, S14.15: threads that race for the same buffers. */
@Timeout(300)
class PoolRaceTest {
    private static final int RACES = Boolean.getBoolean("urma.full") ? 100_000 : 3_000;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final AcquireOptions INLINE = AcquireOptions.DEFAULT.withExecutor(Runnable::run);

    private final PlainSlabs slabs = new PlainSlabs();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private RegisteredBufferPool pool(PoolConfig config) {
        return RegisteredBufferPool.over(config, slabs::make, Runnable::run);
    }

    private void together(List<Callable<Void>> tasks) throws Exception {
        List<Future<Void>> results = new ArrayList<>();
        tasks.forEach(task -> results.add(threads.submit(task)));
        for (Future<Void> result : results) {
            result.get(250, TimeUnit.SECONDS);
        }
    }

    private void assertWhole(RegisteredBufferPool pool) {
        PoolStats stats = pool.stats();
        assertThat(stats.leases()).as(stats.toString()).isZero();
        assertThat(stats.waiters()).as(stats.toString()).isZero();
        assertThat(stats.idleBytes()).isEqualTo(stats.registeredBytes()).isEqualTo(slabs.liveBytes());
        assertThat(pool.drain()).isCompleted();
        assertThat(slabs.liveBytes()).isZero();
    }

    /** S14.14. */
    @Test
    void cancelNeverLosesABuffer() throws Exception {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
        CyclicBarrier barrier = new CyclicBarrier(2);
        RdmaBuf[] held = {pool.acquire(1, Duration.ZERO)};
        List<CompletableFuture<RdmaBuf>> futures = new ArrayList<>();
        together(List.of(
                () -> {
                    for (int i = 0; i < RACES; i++) {
                        futures.add(pool.acquireAsync(1, INLINE));
                        barrier.await();
                        held[0].close();
                        barrier.await();
                        CompletableFuture<RdmaBuf> future = futures.removeLast();
                        if (future.isCancelled()) {
                            held[0] = pool.acquire(1, Duration.ZERO); // it is there, and at once
                        } else {
                            held[0] = future.join();
                        }
                    }
                    return null;
                },
                () -> {
                    for (int i = 0; i < RACES; i++) {
                        barrier.await();
                        spin(i & 63);
                        futures.getFirst().cancel(true);
                        barrier.await();
                    }
                    return null;
                }));
        held[0].close();
        assertWhole(pool);
    }

    private static void spin(int rounds) {
        for (int i = 0; i < 20 * rounds; i++) {
            Thread.onSpinWait();
        }
    }

    /** S14.13. */
    @Test
    void timeoutNeverLosesABuffer() throws Exception {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
        CyclicBarrier barrier = new CyclicBarrier(2);
        RdmaBuf[] held = {pool.acquire(1, Duration.ZERO)};
        together(List.of(
                () -> {
                    for (int i = 0; i < RACES; i++) {
                        barrier.await();
                        spin(i & 255);
                        held[0].close();
                        barrier.await();
                        held[0] = pool.acquire(1, Duration.ZERO);
                        barrier.await();
                    }
                    return null;
                },
                () -> {
                    for (int i = 0; i < RACES; i++) {
                        barrier.await();
                        try {
                            pool.acquire(1, Duration.ofNanos(1 + (i & 63) * 1_000))
                                    .close();
                        } catch (UrmaException e) {
                            assertThat(e.status()).isEqualTo(UrmaStatus.ETIMEOUT);
                        }
                        barrier.await();
                        barrier.await();
                    }
                    return null;
                }));
        held[0].close();
        assertWhole(pool);
    }

    /** S14.5, S14.10: what one thread writes into its lease, no other changes. */
    @Test
    void threadsNeverShareABuffer() throws Exception {
        RegisteredBufferPool pool =
                pool(PoolConfig.builder(1 << 19).reserveBytes(1 << 14).build());
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            long tag = i;
            tasks.add(() -> {
                useBuffers(
                        pool,
                        tag,
                        new SplittableRandom(ThreadLocalRandom.current().nextLong()));
                return null;
            });
        }
        together(tasks);
        assertWhole(pool);
        assertThat(slabs.mostBytes()).isLessThanOrEqualTo(1 << 19);
    }

    private void useBuffers(RegisteredBufferPool pool, long tag, SplittableRandom random) {
        for (int i = 0; i < 3 * RACES; i++) {
            if (random.nextInt(200) == 0) {
                slabs.refuseNext(1);
            }
            try (RdmaBuf buf = next(pool, 16 + random.nextInt(30_000), random)) {
                BufView view = buf.view();
                long last = view.size() - 8;
                view.putLong(0, tag);
                view.putLong(last, tag);
                spin(random.nextInt(4));
                assertThat(view.getLong(0)).isEqualTo(tag);
                assertThat(view.getLong(last)).isEqualTo(tag);
            } catch (UrmaException e) {
                assertThat(e.status()).isIn(UrmaStatus.ENOMEM, UrmaStatus.ETIMEOUT);
            }
        }
    }

    private static RdmaBuf next(RegisteredBufferPool pool, long length, SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> pool.acquire(length, Duration.ofNanos(random.nextInt(100_000)));
            case 1 ->
                pool.acquireAll(new long[] {length, 100}, LONG).stream()
                        .reduce((first, second) -> {
                            second.close();
                            return first;
                        })
                        .orElseThrow();
            case 2 -> pool.acquire(length, LONG, AcquireOptions.control());
            default -> pool.acquire(length, LONG);
        };
    }

    /** S14.15. */
    @Test
    void callsThatNeedTheSameBuffersInOppositeOrderDoNotBlockEachOther() throws Exception {
        RegisteredBufferPool pool = pool(PoolConfig.builder(1 << 16).build());
        long[][] sizes = {{1 << 15, 1 << 14, 4096}, {4096, 1 << 14, 1 << 15}};
        List<Callable<Void>> tasks = new ArrayList<>();
        for (long[] lengths : sizes) {
            tasks.add(() -> {
                for (int i = 0; i < RACES; i++) {
                    pool.acquireAll(lengths, LONG).forEach(RdmaBuf::close);
                }
                return null;
            });
        }
        together(tasks);
        assertWhole(pool);
    }

    /** S14.17. */
    @Test
    void closeNowMissesNoLease() throws Exception {
        for (int round = 0; round < RACES / 30; round++) {
            RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 4));
            CyclicBarrier barrier = new CyclicBarrier(3);
            Callable<Void> user = () -> {
                barrier.await();
                try {
                    while (true) {
                        pool.acquire(1, LONG).close();
                    }
                } catch (UrmaException e) {
                    assertThat(e.reason()).isEqualTo("is closed");
                }
                return null;
            };
            together(List.of(user, user, () -> {
                barrier.await();
                Thread.yield();
                pool.closeNow();
                return null;
            }));
            assertThat(pool.drain()).isCompleted();
            assertThat(slabs.liveBytes()).isZero();
        }
    }

    /** S14.22. */
    @Test
    void virtualThreadsShareFewBuffers() throws Exception {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 64));
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                results.add(many.submit(() -> pool.acquire(8, LONG).close()));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        }
        assertWhole(pool);
    }
}
