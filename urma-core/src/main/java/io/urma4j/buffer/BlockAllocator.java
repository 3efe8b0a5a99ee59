package io.urma4j.buffer;

import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ResultExecutors;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives chunks to requests in order of arrival, and takes them back. Safe for any number of threads.
 *
 * <p>Usually a chunk comes from a magazine of the thread's stripe, and returns there, without the lock. Everything else happens
 * under the lock: queues, slabs, and the budget. Slabs are made and freed without it, and callbacks run without it.
 *
 * <p>Memory order: a waiter first sets {@link #attention}, and then looks into the magazines. A thread that returns a chunk first
 * puts it into a magazine, and then reads {@code attention}. All four are volatile accesses, so either the waiter finds the
 * chunk, or the returning thread finds the waiter.
 */
final class BlockAllocator {
    private static final System.Logger LOG = System.getLogger(BlockAllocator.class.getName());

    // what keeps threads off the magazines
    private static final int WAITERS = 1;
    private static final int CLOSED = 2;
    private static final int REVOKED = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final String pool;
    private final PoolConfig config;
    private final LongFunction<SlabMemory> source; // makes slabs of a length
    private final Magazines magazines;
    private final SlabBudget ordinary;
    private final SlabBudget reserve;
    private final Executor trimmer;
    private final SequencedSet<Waiter> waiters = new LinkedHashSet<>();
    private final SequencedSet<Waiter> controlWaiters = new LinkedHashSet<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final LongAdder waits = new LongAdder();
    private volatile int attention; // written under the lock
    private boolean isTrimming;
    private long arrivals; // of waiters
    private long slabsMade;
    private long slabsFreed;
    private long refusals;

    /**
     * @param pool names it in messages
     * @param returned receives each chunk whose lease is over; it calls {@link #giveBack}
     */
    BlockAllocator(String pool, PoolConfig config, LongFunction<SlabMemory> source, Consumer<Chunk> returned) {
        this.pool = pool;
        this.config = config;
        this.source = source;
        SizeClasses classes = config.classes();
        this.magazines = new Magazines(classes.count());
        this.ordinary =
                new SlabBudget(classes, config.ordinaryBytes(), config.effectiveSlabBytes(), magazines, returned);
        this.reserve = new SlabBudget(classes, config.reserveBytes(), 0, null, returned);
        this.trimmer = CompletableFuture.delayedExecutor(
                config.idleTrim().toNanos(), TimeUnit.NANOSECONDS, ResultExecutors.VIRTUAL_THREADS);
    }

    // ---- without the lock

    /** An idle chunk of the calling thread's magazine; null if the request must take the lock. */
    @Nullable
    Chunk takeCached(int sizeClass) {
        return attention == 0 && sizeClass != SizeClasses.OWN_SLAB ? magazines.take(sizeClass) : null;
    }

    /** A lease is over. */
    void giveBack(Chunk chunk) {
        if (attention == 0 && chunk.magazine() >= 0 && magazines.put(chunk)) {
            if (attention != 0) {
                change(() -> {}); // a waiter may have looked too early
            }
            return;
        }
        change(() -> chunk.slab().budget().put(chunk));
    }

    private boolean isClosed() {
        return (attention & CLOSED) != 0;
    }

    /** Whether all leases were ended; read after a lease has begun. */
    boolean isRevoked() {
        return (attention & REVOKED) != 0;
    }

    // ---- requests

    /** What a request gets without waiting; null if it gets nothing. */
    @Nullable
    Grant tryGrant(Request request) {
        Grant[] granted = new Grant[1];
        change(() -> {
            checkOpen();
            granted[0] = planAtOnce(request);
        });
        return granted[0];
    }

    /** Settles a waiter now, or when its turn has come. */
    void enqueue(Waiter waiter) {
        change(() -> {
            checkOpen();
            waiter.arrived(++arrivals);
            queueOf(waiter.request()).add(waiter);
            publish(); // before the magazines are searched
        });
        if (!waiter.isSettled()) {
            waits.increment();
            change(this::retryUnfreed, this::beginToFree); // a free may take longer than the request may wait
        }
    }

    /** Removes a waiter; false if it is settled. */
    boolean leave(Waiter waiter) {
        boolean[] wasQueued = new boolean[1];
        change(() -> wasQueued[0] = queueOf(waiter.request()).remove(waiter));
        return wasQueued[0];
    }

    private SequencedSet<Waiter> queueOf(Request request) {
        return request.isControl() ? controlWaiters : waiters;
    }

    private void checkOpen() {
        if (isClosed()) {
            throw Checks.closed(pool);
        }
    }

    /** What a request gets that does not wait: it overtakes none, but for one that may use the reserve. */
    private @Nullable Grant planAtOnce(Request request) {
        Grant grant = first() == null ? ordinary.plan(request, false) : null;
        boolean hasReserve = request.isControl() && controlWaiters.isEmpty();
        return grant == null && hasReserve ? reserve.plan(request, false) : grant;
    }

    /** The next for ordinary memory, in order of arrival. A control request that only the reserve can serve delays no other. */
    private @Nullable Waiter first() {
        Waiter first = waiters.isEmpty() ? null : waiters.getFirst();
        Waiter control = controlWaiters.isEmpty() ? null : controlWaiters.getFirst();
        if (control == null || control.request().totalBytes() > config.ordinaryBytes()) {
            return first;
        }
        return first == null || control.isBefore(first) ? control : first;
    }

    /** Makes the slabs that a grant lacks. It may take milliseconds; if it fails, the whole grant is taken back. */
    void fulfil(Grant grant) {
        boolean isDone = false;
        try {
            freeVictims(grant);
            while (!grant.orders().isEmpty()) {
                SlabOrder order = grant.orders().getFirst();
                SlabMemory memory = source.apply(order.lengthBytes());
                change(() -> {
                    grant.budget().made(grant, order, memory);
                    slabsMade++;
                    trimLater();
                });
            }
            isDone = true;
        } finally {
            if (!isDone) {
                change(() -> {
                    grant.budget().refund(grant);
                    refusals++;
                });
            }
        }
    }

    private void freeVictims(Grant grant) {
        while (!grant.victims().isEmpty()) {
            Slab victim = grant.victims().removeFirst();
            try {
                victim.free();
            } catch (UrmaException e) {
                change(() -> grant.budget().victimNotFreed(victim));
                throw e;
            }
            change(() -> {
                grant.budget().dismiss(victim);
                slabsFreed++;
            });
        }
        if (grant.excessBytes() > 0) {
            change(() -> grant.budget().victimsFreed(grant));
        }
    }

    /** Takes back a grant that is not used. */
    void refund(Grant grant) {
        change(() -> grant.budget().refund(grant));
    }

    // ---- changes

    /** Runs a step under the lock, gives what it frees to the waiters, and does without the lock what follows. */
    private void change(Runnable step) {
        change(step, this::freeOrBegin);
    }

    private void change(Runnable step, Consumer<Slab> end) {
        List<Waiter> settled = new ArrayList<>();
        List<Slab> condemned = new ArrayList<>();
        lock.lock();
        try {
            step.run();
            settle(settled, condemned);
        } finally {
            lock.unlock();
        }
        settled.forEach(Waiter::wake);
        condemned.forEach(end);
        if (isDrained()) {
            drained.complete(null);
        }
    }

    private void settle(List<Waiter> settled, List<Slab> condemned) {
        publish();
        if (isClosed()) {
            refuse(waiters, settled);
            refuse(controlWaiters, settled);
            ordinary.condemnIdle();
            reserve.condemnIdle();
        } else {
            serve(settled);
        }
        condemned.addAll(ordinary.takeCondemned());
        condemned.addAll(reserve.takeCondemned());
        publish();
    }

    private void publish() {
        int waiting = waiters.isEmpty() && controlWaiters.isEmpty() ? 0 : WAITERS;
        attention = attention & ~WAITERS | waiting;
    }

    /** In order of arrival: none is served before the first one, but for control requests from the reserve. */
    private void serve(List<Waiter> settled) {
        boolean isServed = true;
        while (isServed) {
            Waiter first = first();
            isServed = (first != null && serve(first, ordinary, settled))
                    || (!controlWaiters.isEmpty() && serve(controlWaiters.getFirst(), reserve, settled));
        }
    }

    private boolean serve(Waiter waiter, SlabBudget budget, List<Waiter> settled) {
        Grant grant = budget.plan(waiter.request(), true);
        if (grant != null) {
            queueOf(waiter.request()).remove(waiter);
            waiter.settle(grant);
            settled.add(waiter);
        }
        return grant != null;
    }

    private static void refuse(SequencedSet<Waiter> queue, List<Waiter> settled) {
        for (Waiter waiter : queue) {
            waiter.settle(null);
            settled.add(waiter);
        }
        queue.clear();
    }

    /** Frees a slab. If peers import it, their answers are awaited by another thread. */
    private void freeOrBegin(Slab slab) {
        if (slab.memory().isImported()) {
            beginToFree(slab);
        } else {
            free(slab);
        }
    }

    private void beginToFree(Slab slab) {
        ResultExecutors.VIRTUAL_THREADS.execute(() -> free(slab));
    }

    private void free(Slab slab) {
        try {
            slab.free();
        } catch (UrmaException e) {
            LOG.log(slab.isUnfreed() ? Level.DEBUG : Level.WARNING, pool + " keeps a " + slab, e);
            change(() -> slab.budget().notFreed(slab));
            return;
        }
        change(() -> {
            slab.budget().freed(slab);
            slabsFreed++;
        });
    }

    private void retryUnfreed() {
        ordinary.retryUnfreed();
        reserve.retryUnfreed();
    }

    // ---- trimming

    /** Frees all slabs without a lease. */
    void trim() {
        change(() -> {
            retryUnfreed();
            ordinary.condemnIdle();
            reserve.condemnIdle();
        });
    }

    /** Has idle slabs freed after a while, if there are more bytes than the soft limit. */
    private void trimLater() {
        if (!isTrimming && registeredBytes() > config.softBytes()) {
            isTrimming = true;
            trimmer.execute(() -> change(this::trimUnused));
        }
    }

    private void trimUnused() {
        isTrimming = false;
        if (!isClosed()) {
            retryUnfreed();
            ordinary.condemnUnused(config.softBytes() - reserve.keptBytes());
            reserve.condemnUnused(config.softBytes() - ordinary.keptBytes());
            trimLater();
        }
    }

    private long registeredBytes() {
        return ordinary.registeredBytes() + reserve.registeredBytes();
    }

    // ---- the end

    /** Refuses all waiters and further requests; slabs go with their last lease. Idempotent. */
    void close() {
        change(() -> {
            attention |= CLOSED;
            retryUnfreed();
        });
    }

    /** {@link #close}, and ends all leases. */
    void closeNow() {
        change(() -> attention |= CLOSED | REVOKED);
        for (Slab slab : slabs()) {
            slab.revoke();
        }
        close();
    }

    /** All slabs that have leases or may get some. */
    List<Slab> slabs() {
        lock.lock();
        try {
            List<Slab> all = new ArrayList<>(ordinary.slabs());
            all.addAll(reserve.slabs());
            return all;
        } finally {
            lock.unlock();
        }
    }

    private boolean isDrained() {
        if (!isClosed() || drained.isDone()) {
            return false;
        }
        lock.lock();
        try {
            return registeredBytes() == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Completes once it is closed and its last slab is freed. */
    CompletableFuture<Void> drained() {
        return drained;
    }

    /** The slabs by the size of their blocks, the smallest first. */
    Collection<ClassUse> classUses() {
        SortedMap<Long, ClassUse> uses = new TreeMap<>();
        lock.lock();
        try {
            ordinary.addClasses(uses);
            reserve.addClasses(uses);
        } finally {
            lock.unlock();
        }
        return uses.values();
    }

    /** @param quarantined blocks of which peers still use windows, and their bytes */
    PoolStats stats(int quarantined, long quarantinedBytes) {
        lock.lock();
        try {
            List<Waiter> all = new ArrayList<>(waiters);
            all.addAll(controlWaiters);
            Collection<ClassUse> uses = classUses();
            return new PoolStats(
                    config.maxBytes(),
                    registeredBytes(),
                    uses.stream()
                            .mapToLong(use -> use.idle() * use.blockBytes())
                            .sum(),
                    ordinary.slabs().size() + reserve.slabs().size(),
                    uses.stream().mapToLong(ClassUse::leases).sum(),
                    all.size(),
                    all.stream()
                            .mapToLong(waiter -> waiter.request().totalBytes())
                            .max()
                            .orElse(0),
                    Duration.ofNanos(
                            all.stream().mapToLong(Waiter::ageNanos).max().orElse(0)),
                    slabsMade,
                    slabsFreed,
                    waits.sum(),
                    refusals,
                    quarantined,
                    quarantinedBytes);
        } finally {
            lock.unlock();
        }
    }
}
