package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.AcquireOptions;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: requests that wait for memory of a pool. */
public abstract class PoolWaitersContract extends Contract {
    private static final int KB = 1 << 10;
    private static final int SIZE = 4 * KB;
    private static final AcquireOptions INLINE = AcquireOptions.DEFAULT.withExecutor(Runnable::run);

    protected PoolWaitersContract(String device) {
        super(device);
    }

    private RegisteredBufferPool pool(PoolConfig config) {
        return RegisteredBufferPool.open(config, pair.initiator().context());
    }

    private static RdmaBuf acquire(RegisteredBufferPool pool, long lengthBytes) {
        return pool.acquire(lengthBytes, Duration.ZERO);
    }

    private static RdmaBuf granted(CompletableFuture<RdmaBuf> future) {
        Patience.await("a buffer", future::isDone);
        return future.join();
    }

    /** S14.12: a request is not served before an earlier one, however small it is. */
    @Rule("S14.12")
    @Test
    void requestsAreServedInOrderOfArrival() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).build())) {
            RdmaBuf half = acquire(pool, 32 * KB);
            RdmaBuf other = acquire(pool, 32 * KB);
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(64 * KB, INLINE);
            CompletableFuture<RdmaBuf> small = pool.acquireAsync(SIZE, INLINE);
            CompletableFuture<RdmaBuf> smaller = pool.acquireAsync(1, INLINE);

            half.close();
            assertThat(pool.stats().waiters()).isEqualTo(3);
            assertThat(pool.tryAcquire(1)).isEmpty();
            other.close();

            RdmaBuf all = granted(large);
            assertThat(small).isNotDone();
            all.close();
            granted(small).close();
            granted(smaller).close();
        }
    }

    /** S14.12: control traffic has the reserve, and ordinary requests never have it. */
    @Rule("S14.12")
    @Test
    void controlTrafficOvertakesWithinTheReserve() {
        PoolConfig config = PoolConfig.builder(64 * KB).reserveBytes(SIZE).build();
        try (RegisteredBufferPool pool = pool(config)) {
            List<RdmaBuf> ordinary = pool.acquireAll(new long[] {32 * KB, 16 * KB, 8 * KB, SIZE}, Duration.ZERO);
            CompletableFuture<RdmaBuf> waiting = pool.acquireAsync(SIZE, INLINE);

            RdmaBuf urgent = pool.tryAcquire(SIZE, AcquireOptions.control()).orElseThrow();
            assertThat(pool.tryAcquire(SIZE, AcquireOptions.control())).isEmpty();
            CompletableFuture<RdmaBuf> next = pool.acquireAsync(1, INLINE.withControl());
            urgent.close();
            granted(next).close();

            assertThat(waiting).isNotDone();
            ordinary.forEach(RdmaBuf::close);
            granted(waiting).close();
        }
    }

    /** S14.12: control traffic overtakes into the reserve alone, and no later request overtakes it. */
    @Rule("S14.12")
    @Test
    void controlRequestThatWaitsIsServedInItsTurn() {
        PoolConfig config = PoolConfig.builder(64 * KB).reserveBytes(SIZE).build();
        try (RegisteredBufferPool pool = pool(config)) {
            RdmaBuf most = acquire(pool, 32 * KB);
            List<RdmaBuf> rest = pool.acquireAll(new long[] {16 * KB, 8 * KB, SIZE}, Duration.ZERO);
            RdmaBuf reserved = pool.tryAcquire(SIZE, AcquireOptions.control()).orElseThrow();
            CompletableFuture<RdmaBuf> control = pool.acquireAsync(SIZE, INLINE.withControl());
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(60 * KB, INLINE);
            assertThat(control).isNotDone();

            most.close();

            granted(control).close();
            assertThat(large).isNotDone();
            rest.forEach(RdmaBuf::close);
            granted(large).close();
            reserved.close();
        }
    }

    /** S14.13: 0 is a try; a timeout ends the wait and leaves no waiter. */
    @Rule("S14.13")
    @Test
    void waitEndsAtItsTimeout() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
                RdmaBuf held = acquire(pool, SIZE)) {
            assertRefused(UrmaStatus.ETIMEOUT, () -> acquire(pool, SIZE)).hasMessageContaining("1 leases");
            long begun = System.nanoTime();
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquire(SIZE, Duration.ofMillis(20)));
            assertThat(System.nanoTime() - begun).isBetween(20_000_000L, Patience.LIMIT.toNanos());
            assertRefused(UrmaStatus.EINVAL, () -> pool.acquire(SIZE, Duration.ofMillis(-1)))
                    .hasMessageContaining("must not be negative");
            assertThat(pool.stats().waiters()).isZero();
            assertThat(held.isClosed()).isFalse();
        }
    }

    /** S14.13: an interrupt ends the wait, keeps the flag, and leaves no waiter. */
    @Rule("S14.13")
    @Test
    void interruptEndsTheWait() throws Exception {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
                RdmaBuf held = acquire(pool, SIZE)) {
            CompletableFuture<UrmaException> refused = new CompletableFuture<>();
            Thread waiter = Thread.ofPlatform().start(() -> {
                try {
                    pool.acquire(SIZE, Patience.LIMIT).close();
                } catch (UrmaException e) {
                    if (Thread.currentThread().isInterrupted()) {
                        refused.complete(e);
                    }
                }
            });
            Patience.await("the waiter", () -> pool.stats().waiters() == 1);

            waiter.interrupt();

            assertThat(refused.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS).status())
                    .isEqualTo(UrmaStatus.EAGAIN);
            assertThat(pool.stats().waiters()).isZero();
            assertThat(held.isClosed()).isFalse();
        }
    }

    /** S14.14: whichever is first, the buffer is either the caller's or the pool's. */
    @Rule("S14.14")
    @Test
    void cancelThatRacesWithTheGrantLosesNoBuffer() throws Exception {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int i = 0; i < Patience.amount(500, 50); i++) {
                RdmaBuf held = acquire(pool, SIZE);
                CompletableFuture<RdmaBuf> future = pool.acquireAsync(SIZE, INLINE);
                Future<Boolean> cancelled = threads.submit(() -> future.cancel(true));
                held.close();
                if (!cancelled.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                    future.join().close();
                }
                Patience.await("the buffer", () -> pool.stats().leases() == 0);
            }
        }
    }

    /** S14.14: a grant that was not handed over yet when its future was cancelled. */
    @Rule("S14.14")
    @Test
    void grantAfterACancelGoesToTheNextRequest() {
        List<Runnable> late = new ArrayList<>();
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1))) {
            RdmaBuf held = acquire(pool, SIZE);
            CompletableFuture<RdmaBuf> first = pool.acquireAsync(SIZE, AcquireOptions.DEFAULT.withExecutor(late::add));
            CompletableFuture<RdmaBuf> second = pool.acquireAsync(SIZE, INLINE);
            held.close();
            assertThat(late).hasSize(1);

            assertThat(first.cancel(true)).isTrue();
            late.forEach(Runnable::run);

            granted(second).close();
            assertThat(pool.stats().leases()).isZero();
        }
    }

    /** S14.15: told at once, without waiting. */
    @Rule("S14.15")
    @Test
    void requestThatCanNeverFitIsRefusedAtOnce() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).build());
                RdmaBuf held = acquire(pool, SIZE)) {
            assertRefused(UrmaStatus.EINVAL, () -> pool.acquireAll(new long[] {32 * KB, 32 * KB, 1}, Patience.LIMIT))
                    .hasMessageContaining("than the 65536 bytes that the budget can ever give");
            assertRefused(UrmaStatus.EINVAL, () -> pool.acquire(64 * KB + 1, Patience.LIMIT))
                    .hasMessageContaining("must lie in 1…65536");
            for (long absurd : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertRefused(UrmaStatus.EINVAL, () -> pool.acquireAsync(absurd))
                        .hasMessageContaining("lengthBytes is " + absurd);
            }
            assertThat(held.isClosed()).isFalse();
        }
    }

    /** S14.15: all or none, so that crossed calls wait for each other's end and not for each other's buffers. */
    @Rule("S14.15")
    @Test
    void crossedCallsDoNotBlockEachOther() throws Exception {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).build());
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> results = new ArrayList<>();
            for (long[] lengths : List.of(new long[] {32 * KB, 16 * KB}, new long[] {16 * KB, 32 * KB})) {
                results.add(threads.submit(() -> {
                    for (int i = 0; i < Patience.amount(200, 20); i++) {
                        pool.acquireAll(lengths, Patience.LIMIT).forEach(RdmaBuf::close);
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(pool.stats().leases()).isZero();
        }
    }

    /** S14.16: waiters do not outlast the pool. */
    @Rule("S14.16")
    @Test
    void closeRefusesAllWaiters() throws Exception {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 1));
        RdmaBuf held = acquire(pool, SIZE);
        CompletableFuture<RdmaBuf> future = pool.acquireAsync(SIZE, INLINE);
        CompletableFuture<String> refused = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform().start(() -> {
            try {
                pool.acquire(SIZE, Patience.LIMIT).close();
            } catch (UrmaException e) {
                refused.complete(e.reason());
            }
        });
        Patience.await("both waiters", () -> pool.stats().waiters() == 2);

        pool.close();

        assertThat(future).isCompletedExceptionally();
        assertThat(refused.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS)).isEqualTo("is closed");
        waiter.join();
        held.close();
    }

    /** S14.22: waiting occupies no carrier thread. */
    @Rule("S14.22")
    @Test
    void virtualThreadsShareFewBuffers() throws Exception {
        int count = Patience.amount(20_000, 500);
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(SIZE, 64));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                long tag = i;
                results.add(threads.submit(() -> {
                    try (RdmaBuf buf = pool.acquire(SIZE, Patience.LIMIT)) {
                        buf.view().putLong(0, tag);
                        Thread.yield();
                        assertThat(buf.view().getLong(0)).isEqualTo(tag);
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(pool.stats().leases()).isZero();
        }
    }
}
