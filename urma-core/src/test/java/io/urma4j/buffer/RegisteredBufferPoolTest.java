package io.urma4j.buffer;

import static io.urma4j.buffer.BufViewTest.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.FakeGrants;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: a pool over memory without a device. */
class RegisteredBufferPoolTest {
    private static final int KB = 1 << 10;
    private static final int MB = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(20);

    private final PlainSlabs slabs = new PlainSlabs();

    private RegisteredBufferPool pool(PoolConfig config) {
        return RegisteredBufferPool.over(config, slabs::make, Runnable::run);
    }

    private RegisteredBufferPool pool(PoolConfig.Builder config) {
        return pool(config.build());
    }

    private static RdmaBuf acquire(RegisteredBufferPool pool, long lengthBytes) {
        return pool.acquire(lengthBytes, Duration.ZERO);
    }

    private static ThrowableAssertAlternative<UrmaException> assertRefused(UrmaStatus status, ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(e -> e.status() == status, "status " + status);
    }

    private static AcquireOptions inline() {
        return AcquireOptions.DEFAULT.withExecutor(Runnable::run);
    }

    // ---- leases

    @Test
    void leaseHasExactlyTheLengthThatWasAskedFor() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * MB))) {
            for (long length : new long[] {1, 100, 4096, 4097, 70_000, MB, 5 * MB}) {
                try (RdmaBuf buf = acquire(pool, length)) {
                    assertThat(buf.lengthBytes()).isEqualTo(length);
                    assertThat(buf.view().size()).isEqualTo(length);
                    assertThat(buf.view().address() % 4096).isZero();
                }
            }
        }
        assertThat(slabs.liveBytes()).isZero();
    }

    /** S14.13: a peer that imports an idle slab, and does not answer, delays no request that must not wait. */
    @Test
    void anImporterThatDoesNotAnswerDelaysNoTry() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(4 * MB))) {
            acquire(pool, 64).close(); // its slab is idle, and a part of the budget
            slabs.importEach(answer);

            CompletableFuture<Optional<RdmaBuf>> tried = CompletableFuture.supplyAsync(() -> pool.tryAcquire(4 * MB));
            assertThat(tried).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(Optional.empty());

            CompletableFuture<RdmaBuf> waiting = pool.acquireAsync(4 * MB, inline());
            assertThat(waiting).isNotDone();
            answer.countDown();
            waiting.get(20, TimeUnit.SECONDS).close();
            assertThat(slabs.mostBytes()).isEqualTo(4 * MB);
        } finally {
            answer.countDown();
        }
    }

    /** S14.8. */
    @Test
    void staleViewDoesNotReadTheNextOwnersBytes() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(64, 1))) {
            RdmaBuf first = acquire(pool, 64);
            BufView view = first.view();
            long address = view.address();
            first.close();

            RdmaBuf second = acquire(pool, 64);
            second.view().putLong(0, 99);

            assertThat(second.view().address()).isEqualTo(address);
            assertInvalid(() -> view.getLong(0)).withMessageContaining("is closed");
            first.close(); // once more
            assertThat(second.view().getLong(0)).isEqualTo(99);
            assertThat(pool.tryAcquire(64)).isEmpty();
        }
    }

    /** S14.4. */
    @Test
    void resetRangeStaysInsideTheLease() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(MB));
                RdmaBuf _ = acquire(pool, 100);
                RdmaBuf buf = acquire(pool, 100)) {
            BufView view = buf.view().last(10);
            view.resetRange();
            assertThat(view.size()).isEqualTo(100);
            assertThat(view.address()).isEqualTo(buf.view().address());
        }
    }

    /** S14.9. */
    @Test
    void operationKeepsTheMemoryFromTheNextOwner() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(64, 1))) {
            RdmaBuf buf = acquire(pool, 64);
            Block held = buf.view().hold();
            buf.close();
            assertThat(pool.tryAcquire(64)).isEmpty();
            held.unhold();
            assertThat(pool.tryAcquire(64)).isPresent();
        }
    }

    /** S14.18: no request waits for the next look of the quarantine. */
    @Test
    void asynchronousRequestGetsAQuarantinedBufferThatIsQuiet() {
        FakeGrants.Fake window = new FakeGrants.Fake(1);
        window.isBusy = true;
        window.observer = Thread.currentThread(); // not a thread of the quarantine
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(64, 1))) {
            RdmaBuf buf = acquire(pool, 64);
            buf.block().addExport(buf.generation(), "a peer", List.of(window.key()), List.of(window.grant()));
            buf.close();
            assertThat(pool.stats().quarantined()).isEqualTo(1);
            assertThat(pool.tryAcquire(64)).isEmpty();
            window.isBusy = false;

            CompletableFuture<RdmaBuf> next = pool.acquireAsync(64, inline());

            assertThat(next).isDone();
            next.join().close();
        }
    }

    /** S14.6. */
    @Test
    void scrubbedMemoryReadsZero() {
        try (RegisteredBufferPool pool =
                pool(PoolConfig.fixed(64, 1).toBuilder().scrub(Scrub.ON_RELEASE))) {
            RdmaBuf first = acquire(pool, 24);
            first.view().putLong(16, -1);
            first.close();
            assertThat(acquire(pool, 64).view().getLong(16)).isZero();
        }
    }

    /** S14.21. */
    @Test
    void lostLeaseReturnsToThePool() {
        LeakDetector leaks = LeakDetector.of(LeakLevel.ALL);
        try (RegisteredBufferPool pool =
                pool(PoolConfig.fixed(64, 1).toBuilder().leaks(leaks))) {
            assertThat(acquire(pool, 64).isClosed()).isFalse(); // and lost
            Awaitility.await().until(() -> {
                System.gc();
                return leaks.lost() == 1;
            });
            assertThatExceptionOfType(AssertionError.class).isThrownBy(pool::assertNoLeaks);
            acquire(pool, 64).close();
        }
    }

    // ---- budget

    /** S14.10. */
    @Test
    void refusedSlabCostsNoBudget() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 2))) {
            for (int i = 0; i < 5; i++) {
                slabs.refuseNext(1);
                assertRefused(UrmaStatus.ENOMEM, () -> pool.tryAcquire(4096)).withMessageContaining("refused");
                slabs.refuseNext(1);
                CompletableFuture<RdmaBuf> future = pool.acquireAsync(4096, inline());
                assertThat(future).isCompletedExceptionally();
            }
            assertThat(pool.stats().registeredBytes()).isZero();
            assertThat(pool.stats().refusals()).isEqualTo(10);
            acquire(pool, 4096);
            acquire(pool, 4096);
        }
    }

    /** S14.10: memory that stays registered stays in the budget. */
    @Test
    void slabThatCannotBeFreedStaysInTheBudgetUntilItIsFreed() {
        RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB));
        acquire(pool, 4 * KB).close();
        slabs.failToFreeNext(1);

        assertRefused(UrmaStatus.EAGAIN, () -> acquire(pool, 64 * KB)).withMessageContaining("cannot be freed now");
        assertThat(pool.stats().registeredBytes()).isEqualTo(slabs.liveBytes()).isPositive();
        pool.trim();

        assertThat(pool.stats().registeredBytes()).isZero();
        acquire(pool, 64 * KB).close();
        pool.close();
        assertThat(slabs.liveBytes()).isZero();
    }

    @Test
    void idleSlabsOfOtherClassesMakeRoom() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(MB))) {
            List<RdmaBuf> small = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                small.add(acquire(pool, 4 * KB));
            }
            assertRefused(UrmaStatus.ETIMEOUT, () -> acquire(pool, MB)).withMessageContaining("256 leases");
            small.forEach(RdmaBuf::close);
            acquire(pool, MB).close();
            acquire(pool, 4 * KB).close();
        }
        assertThat(slabs.mostBytes()).isLessThanOrEqualTo(MB);
    }

    @Test
    void bufferAboveAllClassesHasASlabOfItsOwn() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(160 * MB))) {
            RdmaBuf large = acquire(pool, 65 * MB + 1);
            assertThat(pool.stats().registeredBytes()).isEqualTo(65 * MB + 4 * KB);
            large.close();
            assertThat(slabs.liveBytes()).isZero();
        }
    }

    @Test
    void classAboveTheBudgetIsNotUsed() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(12 * KB))) {
            acquire(pool, 12 * KB).close(); // not the 16 KiB of its class
            acquire(pool, 8 * KB).close();
        }
    }

    /** S14.12. */
    @Test
    void reserveIsForControlAlone() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).reserveBytes(16 * KB))) {
            RdmaBuf ordinary = acquire(pool, 32 * KB);
            RdmaBuf more = acquire(pool, 16 * KB);
            assertThat(pool.tryAcquire(4 * KB)).isEmpty();
            CompletableFuture<RdmaBuf> waiting = pool.acquireAsync(4 * KB, inline());

            RdmaBuf urgent = pool.tryAcquire(16 * KB, AcquireOptions.control()).orElseThrow();
            assertThat(pool.tryAcquire(1, AcquireOptions.control())).isEmpty();
            urgent.close();

            assertThat(waiting).isNotDone(); // a reserve that is free again serves no ordinary request
            more.close();
            assertThat(waiting).isCompleted();
            ordinary.close();
        }
    }

    /** S14.23. */
    @Test
    void idleMemoryAboveTheSoftLimitIsFreedAfterAWhile() {
        try (RegisteredBufferPool pool = pool(
                PoolConfig.builder(MB).softBytes(256 * KB).slabBytes(64 * KB).idleTrim(Duration.ofMillis(20)))) {
            List<RdmaBuf> leases = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                leases.add(acquire(pool, 64 * KB));
            }
            RdmaBuf kept = leases.removeLast();
            leases.forEach(RdmaBuf::close);

            Awaitility.await().until(() -> pool.stats().registeredBytes() == 256 * KB);

            kept.view().putLong(0, 1);
            assertThat(slabs.liveBytes()).isEqualTo(256 * KB);
            pool.trim();
            assertThat(slabs.liveBytes()).isEqualTo(64 * KB);
            kept.close();
        }
    }

    /** S14.23: also a slab whose first end failed. */
    @Test
    void idleMemoryThatCouldNotBeFreedIsFreedLater() {
        try (RegisteredBufferPool pool = pool(
                PoolConfig.builder(MB).softBytes(256 * KB).slabBytes(64 * KB).idleTrim(Duration.ofMillis(20)))) {
            List<RdmaBuf> leases = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                leases.add(acquire(pool, 64 * KB));
            }
            slabs.failToFreeNext(12);
            leases.forEach(RdmaBuf::close);

            Awaitility.await().untilAsserted(() -> {
                assertThat(pool.stats().registeredBytes()).isBetween(1L, 256L * KB);
                assertThat(slabs.liveBytes()).isEqualTo(pool.stats().registeredBytes());
            });
        }
    }

    /** S14.10: a request that lacks memory tries once more, also without a limit that trims. */
    @Test
    void memoryThatCouldNotBeFreedIsFreedForARequest() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(160 * MB))) {
            slabs.failToFreeNext(1);
            acquire(pool, 100 * MB).close(); // a slab of its own, which goes with its lease
            assertThat(pool.stats().registeredBytes()).isEqualTo(100 * MB);

            RdmaBuf next = pool.acquire(100 * MB, LONG);

            assertThat(slabs.liveBytes()).isEqualTo(100 * MB);
            next.close();
        }
    }

    /** S14.13: a free that is tried again may take seconds. */
    @Test
    void aFreeThatIsTriedAgainDelaysNoRequest() {
        CountDownLatch end = new CountDownLatch(1);
        RegisteredBufferPool pool = pool(PoolConfig.builder(160 * MB));
        try {
            slabs.failToFreeNext(1);
            acquire(pool, 100 * MB).close(); // a slab of its own, which goes with its lease
            slabs.delayFrees(end);

            CompletableFuture<RdmaBuf> fitting = CompletableFuture.supplyAsync(
                    () -> pool.acquireAsync(4 * KB, inline()).join());
            assertThat(fitting).succeedsWithin(LONG);
            CompletableFuture<RdmaBuf> tooLarge =
                    CompletableFuture.supplyAsync(() -> pool.acquire(100 * MB, Duration.ofMillis(20)));
            assertThat(tooLarge)
                    .failsWithin(LONG)
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("ETIMEOUT");
            assertThat(pool.stats().registeredBytes()).as("with the slab").isGreaterThan(100 * MB);

            end.countDown();
            pool.acquire(100 * MB, LONG).close();
            fitting.join().close();
        } finally {
            end.countDown();
            pool.close();
        }
    }

    // ---- waiting

    /** S14.12: only into the reserve do control requests overtake, and they are overtaken by none. */
    @Test
    void controlRequestThatWaitsIsServedInItsTurn() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).reserveBytes(16 * KB))) {
            RdmaBuf all = acquire(pool, 48 * KB);
            RdmaBuf reserved = acquireControl(pool, 16 * KB);
            CompletableFuture<RdmaBuf> control =
                    pool.acquireAsync(16 * KB, AcquireOptions.control().withExecutor(Runnable::run));
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(48 * KB, inline());

            all.close();

            assertThat(control).isCompleted();
            assertThat(large).isNotDone();
            CompletableFuture<RdmaBuf> urgent =
                    pool.acquireAsync(16 * KB, AcquireOptions.control().withExecutor(Runnable::run));
            reserved.close();
            assertThat(urgent).isCompleted(); // it overtakes into the reserve alone
            control.join().close();
            assertThat(large).isCompleted();
            urgent.join().close();
            large.join().close();
        }
    }

    @Test
    void tryDoesNotOvertakeAControlRequestThatWaits() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB).reserveBytes(16 * KB))) {
            RdmaBuf most = acquire(pool, 32 * KB);
            RdmaBuf rest = acquire(pool, 8 * KB);
            RdmaBuf reserved = acquireControl(pool, 16 * KB);
            CompletableFuture<RdmaBuf> control =
                    pool.acquireAsync(16 * KB, AcquireOptions.control().withExecutor(Runnable::run));
            assertThat(control).isNotDone();

            assertThat(pool.tryAcquire(4 * KB)).isEmpty();

            rest.close();
            assertThat(control).isCompleted();
            most.close();
            reserved.close();
            control.join().close();
        }
    }

    private static RdmaBuf acquireControl(RegisteredBufferPool pool, long lengthBytes) {
        return pool.tryAcquire(lengthBytes, AcquireOptions.control()).orElseThrow();
    }

    /** S14.12. */
    @Test
    void largeRequestIsNotStarvedBySmallOnes() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB))) {
            List<RdmaBuf> small = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                small.add(acquire(pool, 4 * KB));
            }
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(64 * KB, inline());
            CompletableFuture<RdmaBuf> next = pool.acquireAsync(4 * KB, inline());
            for (RdmaBuf buf : small) {
                assertThat(large).isNotDone();
                assertThat(pool.tryAcquire(4 * KB)).isEmpty();
                buf.close();
            }
            assertThat(large).isCompleted();
            assertThat(next).isNotDone();
            large.join().close();
            assertThat(next).isCompleted();
            next.join().close();
        }
    }

    /** S14.13: its user may complete the future, which then waits no more. */
    @Test
    void requestWhoseFutureIsCompletedHoldsUpNoOther() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB))) {
            RdmaBuf most = acquire(pool, 32 * KB);
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(64 * KB, inline());
            CompletableFuture<RdmaBuf> small = pool.acquireAsync(4 * KB, inline());
            assertThat(small).isNotDone();

            large.complete(most.retain()); // such as by completeOnTimeout

            assertThat(small).isCompleted();
            small.join().close();
            large.join().close();
            most.close();
        }
    }

    /** S14.13. */
    @Test
    void waitingEndsAtTheTimeout() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
                RdmaBuf _ = acquire(pool, 1)) {
            long begun = System.nanoTime();
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquire(1, Duration.ofMillis(30)))
                    .withMessageContaining("1 bytes did not become free within PT0.03S")
                    .withMessageContaining("1 leases of 4096 bytes");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(30), LONG);
            assertThat(pool.stats().waiters()).isZero();
        }
    }

    /** S14.13. */
    @Test
    void interruptLeavesNoWaiterBehind() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
                RdmaBuf _ = acquire(pool, 1)) {
            Thread.currentThread().interrupt();
            assertRefused(UrmaStatus.EAGAIN, () -> pool.acquire(1, LONG));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(pool.stats().waiters()).isZero();
        }
    }

    /** S14.14. */
    @Test
    void bufferThatComesAfterTheCancelGoesToTheNextWaiter() {
        List<Runnable> late = new ArrayList<>();
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1))) {
            RdmaBuf held = acquire(pool, 1);
            CompletableFuture<RdmaBuf> first = pool.acquireAsync(1, AcquireOptions.DEFAULT.withExecutor(late::add));
            CompletableFuture<RdmaBuf> second = pool.acquireAsync(1, inline());
            held.close();
            assertThat(late).hasSize(1); // granted, and not handed over yet

            first.cancel(true);
            assertThat(second).isNotDone();
            late.forEach(Runnable::run);

            assertThat(first).isCancelled();
            assertThat(second).isCompleted();
            second.join().close();
        }
    }

    /** S14.14. */
    @Test
    void cancelledWaiterDoesNotBlockTheNextOne() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB))) {
            RdmaBuf half = acquire(pool, 32 * KB);
            CompletableFuture<RdmaBuf> large = pool.acquireAsync(64 * KB, inline());
            CompletableFuture<RdmaBuf> small = pool.acquireAsync(32 * KB, inline());
            assertThat(small).isNotDone();
            large.orTimeout(1, TimeUnit.MILLISECONDS);
            Awaitility.await().until(small::isDone);
            small.join().close();
            half.close();
        }
    }

    @Test
    void executorThatRefusesCostsNoBuffer() {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1))) {
            CompletableFuture<RdmaBuf> future = pool.acquireAsync(1, AcquireOptions.DEFAULT.withExecutor(_ -> {
                throw new RejectedExecutionException("busy");
            }));
            future.join().close();
            acquire(pool, 1).close();
        }
    }

    // ---- several

    /** S14.15. */
    @Test
    void allOrNothing() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB))) {
            RdmaBuf held = acquire(pool, 4 * KB);
            long[] lengths = {32 * KB, 4 * KB, 16 * KB, 8 * KB, 4 * KB}; // 64 KiB
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquireAll(lengths, Duration.ZERO))
                    .withMessageContaining("5 buffers of 65536 bytes");
            assertThat(pool.stats().leases()).isEqualTo(1);
            held.close();
            List<RdmaBuf> all = pool.acquireAll(lengths, Duration.ZERO);
            assertThat(all).extracting(RdmaBuf::lengthBytes).containsExactly(32768L, 4096L, 16384L, 8192L, 4096L);
            assertThat(pool.stats().leasedBytes()).isEqualTo(64 * KB);
            all.forEach(RdmaBuf::close);
            assertThat(pool.acquireAll(new long[0], Duration.ZERO)).isEmpty();
        }
        assertThat(slabs.mostBytes()).isEqualTo(64 * KB);
    }

    @Test
    void refusalInTheMiddleOfSeveralUndoesAll() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(64 * KB))) {
            acquire(pool, 4 * KB).close();
            slabs.refuseNext(1);
            assertRefused(
                    UrmaStatus.ENOMEM, () -> pool.acquireAll(new long[] {4 * KB, 8 * KB, 16 * KB}, Duration.ZERO));
            assertThat(pool.stats().leases()).isZero();
            assertThat(pool.stats().idleBytes())
                    .isEqualTo(pool.stats().registeredBytes())
                    .isEqualTo(slabs.liveBytes());
        }
    }

    // ---- bad input

    @Test
    void impossibleLengthsAreRefusedAtOnce() {
        try (RegisteredBufferPool pool = pool(PoolConfig.builder(MB).reserveBytes(64 * KB));
                RegisteredBufferPool fixed = pool(PoolConfig.fixed(5000, 2))) {
            for (long length : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, MB - 64 * KB + 1}) {
                assertInvalid(() -> pool.tryAcquire(length)).withMessageContaining("must lie in 1…983040");
                assertInvalid(() -> pool.acquire(length, LONG)).withMessageContaining("lengthBytes is " + length);
                assertInvalid(() -> pool.acquireAsync(length));
                assertInvalid(() -> pool.acquireAll(new long[] {1, length}, LONG));
            }
            assertInvalid(() -> pool.tryAcquire(MB, AcquireOptions.control()));
            assertInvalid(() -> pool.acquireAll(new long[] {512 * KB, 512 * KB}, LONG))
                    .withMessageContaining("2 buffers of 1048576 bytes are more than the 983040");
            assertInvalid(() -> pool.acquireAll(new long[4097], LONG))
                    .withMessageContaining("number of lengths is 4097");
            assertInvalid(() -> fixed.tryAcquire(5001)).withMessageContaining("must lie in 1…5000");
            assertInvalid(() -> pool.acquire(1, Duration.ofNanos(-1))).withMessageContaining("timeout is PT-0");
        }
    }

    @Test
    void impossibleConfigurationsAreRefused() {
        assertInvalid(() -> PoolConfig.builder(0).build()).withMessageContaining("maxBytes is 0");
        assertInvalid(() -> PoolConfig.builder(Long.MAX_VALUE).build()).withMessageContaining("maxBytes is 9223");
        assertInvalid(() -> PoolConfig.builder(5000).build()).withMessageContaining("multiples of 4096");
        assertInvalid(() -> PoolConfig.builder(MB).softBytes(MB + 1).build()).withMessageContaining("softBytes");
        assertInvalid(() -> PoolConfig.builder(MB).reserveBytes(MB).build()).withMessageContaining("reserveBytes");
        assertInvalid(() -> PoolConfig.builder(MB).slabBytes(0).build()).withMessageContaining("slabBytes is 0");
        assertInvalid(() -> PoolConfig.builder(MB).idleTrim(Duration.ZERO).build())
                .withMessageContaining("idleTrim is PT0S");
        assertInvalid(() -> PoolConfig.fixed(0, 1)).withMessageContaining("lengthBytes is 0");
        assertInvalid(() -> PoolConfig.fixed(1, 0)).withMessageContaining("count is 0");
        assertInvalid(() -> PoolConfig.fixed(1L << 46, 2)).withMessageContaining("count is 2, must lie in 1…1");
    }

    // ---- the end

    /** S14.16. */
    @Test
    void closeFailsWaitersAndKeepsLeases() {
        RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
        RdmaBuf held = acquire(pool, 8);
        CompletableFuture<RdmaBuf> waiting = pool.acquireAsync(8, inline());
        CompletableFuture<Void> drained = pool.drain();

        assertThat(waiting).isCompletedExceptionally();
        assertInvalid(() -> pool.tryAcquire(8)).withMessageContaining("buffer pool " + pool.name() + ": is closed");
        assertInvalid(() -> pool.acquire(8, LONG)).withMessageContaining("is closed");
        assertInvalid(() -> pool.acquireAsync(8)).withMessageContaining("is closed");
        assertInvalid(() -> pool.acquireAll(new long[] {8}, LONG)).withMessageContaining("is closed");
        pool.trim();
        held.view().putLong(0, 7);
        assertThat(held.view().getLong(0)).isEqualTo(7);
        assertThat(drained).isNotDone();

        held.close();

        assertThat(drained).isCompleted();
        assertThat(slabs.liveBytes()).isZero();
        held.close();
        pool.close();
        assertThat(pool.drain()).isCompleted();
    }

    /** S14.17. */
    @Test
    void closeNowEndsLeasesAndOperationsKeepTheirMemory() {
        RegisteredBufferPool pool = pool(PoolConfig.builder(MB));
        RdmaBuf idle = acquire(pool, 8);
        RdmaBuf busy = acquire(pool, 64 * KB);
        RdmaBuf retained = idle.retain();
        BufView view = idle.view();
        Block held = busy.view().hold();

        pool.closeNow();

        assertInvalid(() -> view.getLong(0)).withMessageContaining("is closed");
        assertInvalid(() -> view.putLong(0, 1)).withMessageContaining("is closed");
        assertInvalid(() -> idle.view().size()).withMessageContaining("is closed");
        assertInvalid(idle::retain).withMessageContaining("is closed");
        assertThat(slabs.liveBytes()).isEqualTo(64 * KB);
        held.unhold();
        assertThat(slabs.liveBytes()).isZero();
        assertThat(pool.drain()).isCompleted();
        idle.close();
        retained.close();
        busy.close();
    }

    @Test
    void poolWithoutANameHasANumberOfItsOwn() {
        try (RegisteredBufferPool first = pool(PoolConfig.fixed(4096, 1));
                RegisteredBufferPool second = pool(PoolConfig.fixed(4096, 1))) {
            assertThat(first.name()).matches("pool-\\d+").isNotEqualTo(second.name());
        }
        assertInvalid(() -> PoolConfig.builder(4096).name("a\tb").build()).withMessageContaining("name must have");
        assertInvalid(() -> PoolConfig.builder(4096).name("x".repeat(65)).build())
                .withMessageContaining("at most 64 characters");
    }

    @Test
    void ageOfTheOldestWaiterIsKnown() throws Exception {
        try (RegisteredBufferPool pool = pool(PoolConfig.fixed(4096, 1));
                RdmaBuf _ = acquire(pool, 8)) {
            assertThat(pool.stats().oldestWait()).isZero();
            CompletableFuture<RdmaBuf> first = pool.acquireAsync(8, inline());
            Thread.sleep(2);
            CompletableFuture<RdmaBuf> second = pool.acquireAsync(8, inline());

            assertThat(pool.stats().oldestWait()).isGreaterThanOrEqualTo(Duration.ofMillis(2));

            first.cancel(false);
            second.cancel(false);
            assertThat(pool.stats().oldestWait()).isZero();
        }
    }

    @Test
    void poolDescribesItself() {
        PoolConfig config = PoolConfig.fixed(4096, 8).toBuilder().name("blocks").build();
        try (RegisteredBufferPool pool = pool(config);
                RdmaBuf _ = acquire(pool, 8)) {
            assertThat(pool)
                    .hasToString(
                            "buffer pool blocks with 1 leases of 4096 bytes, 28672 bytes idle, 32768 of 32768 bytes"
                                    + " registered in 1 slabs, 0 waiters, the largest for 0 bytes");
        }
    }
}
