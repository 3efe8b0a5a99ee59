package io.urma4j.buffer;

import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.flight.Flight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Leases buffers of memory that stays registered with one or several contexts. Safe for any number of threads, also virtual ones.
 *
 * <p>A lease is an {@link RdmaBuf}; its length is exactly what was asked for. It starts at a page. When its last handle is closed
 * and its last operation is over, the memory goes to the next request. Views of the old lease are stale then (S14.8).
 *
 * <p>The hard limit bounds the registered bytes. A request that does not fit waits, and requests are served in order of arrival
 * (S14.12). Whatever fails, the budget is whole again once the leases are closed (S14.10).
 *
 * <p>Work requests that are posted by hand on {@link BufView#localSegment} do not hold a lease: their poster keeps a handle open.
 * Unlike {@link RdmaBuf#allocate}, the close of the last handle cannot notice them.
 */
public final class RegisteredBufferPool implements AutoCloseable {
    private static final int MOST_BUFFERS = 4096; // of one call
    private static final AtomicLong OPENED = new AtomicLong(); // by this process

    private final List<UrmaContext> contexts;
    private final String shortName;
    private final String name;
    private final PoolConfig config;
    private final SizeClasses classes;
    private final LeakDetector leaks;
    private final boolean scrubs;
    private final long longestBytes;
    private final Executor makers; // of slabs for asynchronous requests
    private final BlockAllocator allocator;
    private final ExportQuarantine quarantine = new ExportQuarantine(this::reuse);
    private final Runnable recorded; // ends its recording
    private final AutoCloseable inspection; // a child of the first context

    private RegisteredBufferPool(
            PoolConfig config, LongFunction<SlabMemory> source, List<UrmaContext> contexts, Executor makers) {
        this.contexts = contexts;
        long number = OPENED.incrementAndGet();
        this.shortName = config.name().isEmpty() ? "pool-" + number : config.name();
        this.name = "buffer pool " + shortName + (contexts.isEmpty() ? "" : " on " + contexts);
        this.config = config;
        this.classes = config.classes();
        this.leaks = config.leaks();
        this.scrubs = config.scrub() == Scrub.ON_RELEASE;
        this.longestBytes = config.longestBytes(false);
        this.makers = makers;
        this.allocator = new BlockAllocator(name, config, source, this::returned);
        this.recorded = Flight.pool(name, this::stats);
        this.inspection = new PoolInspection(this, allocator, contexts, number);
    }

    /**
     * Opens a pool without memory. Its buffers are for operations of any of the contexts. It is closed with the first of them
     * that is closed.
     *
     * @param contexts 1 to 16 different ones
     * @throws UrmaException EINVAL for another number, for one that stands there twice, or for a closed one
     */
    public static RegisteredBufferPool open(PoolConfig config, UrmaContext... contexts) {
        List<UrmaContext> distinct = Registrations.distinct("RegisteredBufferPool", contexts);
        RegisteredBufferPool pool = new RegisteredBufferPool(
                config, new ContextSlabs(distinct, config)::make, distinct, ResultExecutors.VIRTUAL_THREADS);
        try {
            distinct.forEach(context -> ApiAccess.api().adopt(context, pool.childOf(context)));
        } catch (UrmaException e) {
            pool.close();
            throw e;
        }
        return pool;
    }

    /** The first context describes the pool to other processes; each closes it. */
    private AutoCloseable childOf(UrmaContext context) {
        return context.equals(contexts.getFirst()) ? inspection : this;
    }

    /** A pool whose memory comes from elsewhere. */
    static RegisteredBufferPool over(PoolConfig config, LongFunction<SlabMemory> source, Executor makers) {
        return new RegisteredBufferPool(config, source, List.of(), makers);
    }

    public PoolConfig config() {
        return config;
    }

    /** The configured name, or one with the pool's number in this process. */
    public String name() {
        return shortName;
    }

    // ---- one buffer

    /** {@link #tryAcquire(long, AcquireOptions)} of ordinary memory. */
    public Optional<RdmaBuf> tryAcquire(long lengthBytes) {
        return tryAcquire(lengthBytes, AcquireOptions.DEFAULT);
    }

    /**
     * Leases a buffer, if there is one now and no other request waits. It may register memory, which takes milliseconds.
     *
     * @throws UrmaException as {@link #acquire(long, Duration, AcquireOptions)}, but no ETIMEOUT
     */
    public Optional<RdmaBuf> tryAcquire(long lengthBytes, AcquireOptions options) {
        checkLength(lengthBytes, options);
        Chunk cached = allocator.takeCached(classes.indexOf(lengthBytes));
        if (cached != null) {
            return Optional.of(leaseOf(cached, lengthBytes));
        }
        quarantine.look();
        Grant grant = allocator.tryGrant(request(lengthBytes, options));
        return grant == null ? Optional.empty() : Optional.of(leases(grant).getFirst());
    }

    /** {@link #acquire(long, Duration, AcquireOptions)} of ordinary memory. */
    public RdmaBuf acquire(long lengthBytes, Duration timeout) {
        return acquire(lengthBytes, timeout, AcquireOptions.DEFAULT);
    }

    /**
     * Leases a buffer, when all earlier requests are served and there is one.
     *
     * @param timeout 0 to return or throw at once
     * @throws UrmaException EINVAL for a length outside 1…the most that the budget can ever give, for a negative timeout, or if
     *     the pool is closed, also meanwhile; ETIMEOUT if there was none in time; EAGAIN if the thread was interrupted, its flag
     *     still set; what a device refused to register memory with, naming the device
     */
    public RdmaBuf acquire(long lengthBytes, Duration timeout, AcquireOptions options) {
        checkLength(lengthBytes, options);
        checkTimeout(timeout);
        Chunk cached = allocator.takeCached(classes.indexOf(lengthBytes));
        if (cached != null) {
            return leaseOf(cached, lengthBytes);
        }
        return leases(granted(request(lengthBytes, options), timeout)).getFirst();
    }

    /** {@link #acquireAsync(long, AcquireOptions)} of ordinary memory, completed on a virtual thread. */
    public CompletableFuture<RdmaBuf> acquireAsync(long lengthBytes) {
        return acquireAsync(lengthBytes, AcquireOptions.DEFAULT);
    }

    /**
     * The asynchronous form of {@link #acquire(long, Duration, AcquireOptions)}. To cancel the future, or to complete it in
     * another way, ends the request; a buffer that comes too late goes back (S14.14). So {@link CompletableFuture#orTimeout} is
     * a timeout of the request.
     *
     * @throws UrmaException EINVAL for the arguments, or if the pool is closed; the future fails with everything else
     */
    public CompletableFuture<RdmaBuf> acquireAsync(long lengthBytes, AcquireOptions options) {
        checkLength(lengthBytes, options);
        Chunk cached = allocator.takeCached(classes.indexOf(lengthBytes));
        if (cached != null) {
            return CompletableFuture.completedFuture(leaseOf(cached, lengthBytes));
        }
        return new AsyncAcquire(request(lengthBytes, options), options.executor()).begin();
    }

    // ---- several buffers

    /**
     * Leases a buffer for each length, all or none: it holds none while it waits, so that two calls cannot block each other
     * (S14.15). Otherwise as {@link #acquire(long, Duration)}.
     *
     * @param lengths at most 4096
     * @return the buffers, in the order of the lengths
     * @throws UrmaException EINVAL also if the budget can never give them together
     */
    public List<RdmaBuf> acquireAll(long[] lengths, Duration timeout) {
        Checks.inRange(name, "number of lengths", lengths.length, 0, MOST_BUFFERS);
        checkTimeout(timeout);
        for (long lengthBytes : lengths) {
            checkLength(lengthBytes, AcquireOptions.DEFAULT);
        }
        Request request = new Request(classes, false, lengths.clone());
        if (request.totalBytes() > config.ordinaryBytes()) {
            throw Checks.invalid(
                    name,
                    request + " are more than the " + config.ordinaryBytes() + " bytes that the budget can ever give");
        }
        return lengths.length == 0 ? List.of() : leases(granted(request, timeout));
    }

    // ---- requests

    /** One that is too long for the reserve waits like any other: nothing would ever be reserved for it. */
    private Request request(long lengthBytes, AcquireOptions options) {
        boolean fitsReserve = classes.blockBytesFor(lengthBytes) <= config.reserveBytes();
        return new Request(classes, options.isControl() && fitsReserve, lengthBytes);
    }

    private void checkLength(long lengthBytes, AcquireOptions options) {
        if (lengthBytes <= 0 || lengthBytes > longestBytes) {
            checkUnusualLength(lengthBytes, options);
        }
    }

    private void checkUnusualLength(long lengthBytes, AcquireOptions options) {
        long longest = config.longestBytes(options.isControl());
        if (lengthBytes <= 0 || lengthBytes > longest) {
            throw Checks.invalid(
                    name,
                    "lengthBytes is " + lengthBytes + ", must lie in 1…" + longest
                            + ", the most that this pool can ever give");
        }
    }

    private void checkTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw Checks.invalid(name, "timeout is " + timeout + ", must not be negative");
        }
    }

    private Grant granted(Request request, Duration timeout) {
        quarantine.look();
        Grant grant = timeout.isZero() ? allocator.tryGrant(request) : awaited(request, Nanos.deadlineAfter(timeout));
        if (grant == null) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT, name, request + " did not become free within " + timeout + ": " + stats());
        }
        return grant;
    }

    /** Waits; null at the deadline. */
    private @Nullable Grant awaited(Request request, long deadlineNanos) {
        Thread thread = Thread.currentThread();
        Waiter waiter = new Waiter(request, () -> LockSupport.unpark(thread));
        allocator.enqueue(waiter);
        if (!waiter.isSettled()) {
            Flight.Step waiting = Flight.bufferWait();
            boolean isSettled = park(waiter, deadlineNanos);
            waiting.end(name, request + (isSettled ? " granted" : " not granted"));
            if (!isSettled) {
                checkNotInterrupted();
                return null;
            }
        }
        Grant grant = waiter.grant();
        if (grant == null) {
            throw Checks.closed(name);
        }
        return grant;
    }

    /** Waits until it is settled, and else removes it: at the deadline, or at an interrupt. */
    private boolean park(Waiter waiter, long deadlineNanos) {
        while (!waiter.isSettled()) {
            long leftNanos = deadlineNanos - System.nanoTime();
            boolean isOver = leftNanos <= 0 || Thread.currentThread().isInterrupted();
            if (isOver && allocator.leave(waiter)) {
                return false;
            }
            LockSupport.parkNanos(this, leftNanos);
        }
        return true;
    }

    private void checkNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new UrmaException(UrmaStatus.EAGAIN, name, "the waiting thread was interrupted");
        }
    }

    /** The buffers of a grant, after its slabs are made. */
    private List<RdmaBuf> leases(Grant grant) {
        allocator.fulfil(grant);
        List<RdmaBuf> leases = new ArrayList<>(grant.request().count());
        boolean isDone = false;
        try {
            for (int i = 0; i < grant.request().count(); i++) {
                leases.add(grant.lease(i, leaks));
            }
            if (allocator.isRevoked()) {
                throw Checks.closed(name);
            }
            isDone = true;
            return leases;
        } finally {
            if (!isDone) {
                leases.forEach(RdmaBuf::close);
                allocator.refund(grant);
            }
        }
    }

    private RdmaBuf leaseOf(Chunk chunk, long lengthBytes) {
        RdmaBuf leased = chunk.lease(lengthBytes, leaks);
        if (allocator.isRevoked()) { // closeNow() may have looked at the chunk before the lease began
            leased.close();
            throw Checks.closed(name);
        }
        return leased;
    }

    /** On the thread that ended the last use of a lease. */
    private void returned(Chunk chunk) {
        if (chunk.block().endExports()) {
            reuse(chunk);
        } else {
            quarantine.add(chunk);
        }
    }

    /** No thread and no peer uses the chunk any more. */
    private void reuse(Chunk chunk) {
        if (scrubs) {
            chunk.scrub();
        }
        allocator.giveBack(chunk);
    }

    /** A request whose result is a future. */
    private final class AsyncAcquire {
        private final CompletableFuture<RdmaBuf> future = new CompletableFuture<>();
        private final Executor executor;
        private final Waiter waiter;

        AsyncAcquire(Request request, Executor executor) {
            this.executor = executor;
            this.waiter = new Waiter(request, this::settled);
        }

        CompletableFuture<RdmaBuf> begin() {
            quarantine.look();
            allocator.enqueue(waiter);
            var _ = future.whenComplete((_, failure) -> {
                if (failure != null || waiter.grant() == null) { // its user has completed it
                    allocator.leave(waiter);
                }
            });
            return future;
        }

        private void settled() {
            Grant grant = waiter.grant();
            if (grant == null) {
                hand(() -> future.completeExceptionally(Checks.closed(name)));
            } else if (grant.isLacking()) {
                makers.execute(() -> lease(grant)); // a registration may block
            } else {
                lease(grant);
            }
        }

        private void lease(Grant grant) {
            if (future.isDone()) {
                allocator.refund(grant);
                return;
            }
            try {
                RdmaBuf leased = leases(grant).getFirst();
                hand(() -> {
                    if (!future.complete(leased)) {
                        leased.close(); // it was cancelled
                    }
                });
            } catch (RuntimeException | Error e) {
                hand(() -> future.completeExceptionally(e));
            }
        }

        private void hand(Runnable completion) {
            try {
                executor.execute(completion);
            } catch (RuntimeException e) { // it is full or shut down
                completion.run(); // or the buffer would be lost
            }
        }
    }

    // ---- upkeep and end

    /** Frees all slabs without a lease, also below the soft limit. */
    public void trim() {
        allocator.trim();
    }

    /** A snapshot; exact if no other thread uses the pool meanwhile. */
    public PoolStats stats() {
        return allocator.stats(quarantine.count(), quarantine.bytes());
    }

    /** {@link LeakDetector#assertNoLeaks} of the configured detector. */
    public void assertNoLeaks() {
        leaks.assertNoLeaks();
    }

    /**
     * Closes the pool. Requests that wait, and later ones, fail with EINVAL "is closed". Leases that are out stay valid, and their
     * slabs are freed with the last of them. Does not wait for them. Idempotent (S14.16).
     */
    @Override
    public void close() {
        allocator.close();
        recorded.run();
        contexts.forEach(context -> ApiAccess.api().disown(context, childOf(context)));
    }

    /** {@link #close}; the future completes with the end of the last lease, when all memory is freed. */
    public CompletableFuture<Void> drain() {
        close();
        return allocator.drained().copy();
    }

    /**
     * {@link #close}, and ends all leases: their views are stale when this returns, and their memory is freed. Memory that
     * operations of a {@link BufQueue} hold is freed with the last of these (S14.17).
     */
    public void closeNow() {
        allocator.closeNow();
        close();
    }

    @Override
    public String toString() {
        return name + " with " + stats();
    }
}
