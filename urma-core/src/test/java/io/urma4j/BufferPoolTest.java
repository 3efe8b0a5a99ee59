package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: a pool on contexts of a device that moves no bytes. */
class BufferPoolTest {
    private static final PoolConfig ONE = PoolConfig.fixed(4096, 1);

    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device(FakeProvider.DEVICE).openContext();

    @AfterEach
    void close() {
        urma.close();
    }

    private UrmaContext another() {
        return urma.device(FakeProvider.DEVICE).openContext();
    }

    private static ThrowableAssertAlternative<UrmaException> assertRefused(UrmaStatus status, ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(e -> e.status() == status, "status " + status);
    }

    private static UrmaException noMemory() {
        return new UrmaException(UrmaStatus.ENOMEM, "register", "locked memory is limited to 8 MiB");
    }

    @Test
    void leasesOfOneSlabHaveOneRegistration() {
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(PoolConfig.fixed(4096, 2), context);
                RdmaBuf first = pool.acquire(100, Duration.ZERO);
                RdmaBuf second = pool.acquire(100, Duration.ZERO)) {
            BufView a = first.view();
            BufView b = second.view();
            assertThat(a.localSegment(context)).isSameAs(b.localSegment(context));
            assertThat(Math.abs(a.localOffset() - b.localOffset())).isEqualTo(4096);
            assertThat(a.localSegment(context).access()).isEqualTo(Access.LOCAL_ONLY);
            assertRefused(UrmaStatus.EINVAL, () -> a.localSegment(another()))
                    .withMessageContaining("is not registered with");
        }
        context.closeIfUnused();
    }

    /** S14.11. */
    @Test
    void refusalNamesDeviceAndErrnoAndLeavesNothing() {
        FakeContext fake = FakeContext.of(context);
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(ONE, context)) {
            fake.refusals.add(noMemory());
            assertRefused(UrmaStatus.ENOMEM, () -> pool.acquire(8, Duration.ZERO))
                    .withMessageContaining("device fake0 (" + context + ", 1 of 1) refused to register a slab of 4096")
                    .withMessageContaining("errno 12: locked memory is limited to 8 MiB");
            assertThat(fake.open).doesNotContain("segment", "memory");
            pool.acquire(8, Duration.ZERO).close();
        }
        context.closeIfUnused();
    }

    /** S14.11. */
    @Test
    void refusalOfTheSecondContextUndoesTheFirst() {
        UrmaContext second = another();
        FakeContext.of(second).refusals.add(noMemory());
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(ONE, context, second)) {
            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(() -> pool.acquire(8, Duration.ZERO))
                    .withMessageContaining("device fake0 (" + second + ", 2 of 2) refused to register")
                    .withMessageContaining("errno 12: locked memory is limited to 8 MiB");
            assertThat(FakeContext.of(context).open).doesNotContain("segment", "memory");
            assertThat(FakeContext.of(second).open).doesNotContain("segment", "memory");
            assertThat(pool.stats().registeredBytes()).isZero();
        }
        context.closeIfUnused();
        second.closeIfUnused();
    }

    @Test
    void numberOfContextsIsLimited() {
        UrmaContext[] tooMany = IntStream.range(0, 17).mapToObj(_ -> another()).toArray(UrmaContext[]::new);
        assertRefused(UrmaStatus.EINVAL, () -> RegisteredBufferPool.open(ONE))
                .withMessageContaining("number of contexts is 0, must lie in 1…16");
        assertRefused(UrmaStatus.EINVAL, () -> RegisteredBufferPool.open(ONE, tooMany))
                .withMessageContaining("number of contexts is 17");
        assertRefused(UrmaStatus.EINVAL, () -> RegisteredBufferPool.open(ONE, context, context))
                .withMessageContaining("a context stands twice");
        context.closeIfUnused();
    }

    @Test
    void closedContextIsRefused() {
        UrmaContext closed = another();
        closed.close();
        assertRefused(UrmaStatus.EINVAL, () -> RegisteredBufferPool.open(ONE, context, closed))
                .withMessageContaining(closed + ": is closed");
        context.closeIfUnused();
    }

    @Test
    void poolIsClosedWithItsContext() {
        RegisteredBufferPool pool = RegisteredBufferPool.open(ONE, context);
        RdmaBuf buf = pool.acquire(8, Duration.ZERO);
        BufView view = buf.view();
        assertRefused(UrmaStatus.EAGAIN, context::closeIfUnused).withMessageContaining("buffer pool " + pool.name());

        context.close();

        assertRefused(UrmaStatus.EINVAL, () -> pool.acquire(8, Duration.ZERO)).withMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0)).withMessageContaining("is closed");
        buf.close();
        assertThat(pool.drain()).isCompleted();
        assertThat(pool.stats().registeredBytes()).isZero();
    }

    /** S14.9: operations of other leases of the slab are no reason to refuse a close. */
    @Test
    void closeIsNotRefusedForOperationsOfOtherLeases() {
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(PoolConfig.fixed(4096, 2), context);
                RdmaBuf busy = pool.acquire(8, Duration.ZERO);
                BufQueue queue = BufQueue.open(context)) {
            RdmaBuf idle = pool.acquire(8, Duration.ZERO);
            var shared = context.register(context.allocate(4096), Access.READ_WRITE);
            var remote = context.importSegment(SharedSegment.parse(shared.share()));
            FakeContext.FakeSegment.of(busy.view().localSegment(context), context).unfinished = 1;
            assertThat(queue.write(remote, 0, busy.view(), 1)).isTrue();

            idle.close();

            assertThat(pool.tryAcquire(8)).isPresent();
            FakeContext.FakeSegment.of(busy.view().localSegment(context), context).unfinished = 0;
        }
    }

    /** S14.10: a slab that a work request names is not freed, and another class waits for it. */
    @Test
    void slabThatAWorkRequestNamesIsNotFreed() {
        try (RegisteredBufferPool pool =
                RegisteredBufferPool.open(PoolConfig.builder(64 << 10).build(), context)) {
            RdmaBuf buf = pool.acquire(64 << 10, Duration.ZERO);
            LocalSegment slab = buf.view().localSegment(context);
            FakeContext.FakeSegment.of(slab, context).unfinished = 1;
            buf.close();
            pool.trim();
            assertRefused(UrmaStatus.ETIMEOUT, () -> pool.acquire(8, Duration.ZERO));
            assertThat(slab.revocation()).isEmpty();

            FakeContext.FakeSegment.of(slab, context).unfinished = 0;
            pool.acquire(8, Duration.ZERO).close();
            assertThat(slab.revocation()).isPresent();
        }
        context.closeIfUnused();
    }
}
