package io.urma4j.buffer;

import io.urma4j.LocalSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Registrations of user memory that outlive their first use, so that the next use of the same memory finds one (S14.34).
 *
 * <p>{@link #acquire} returns a buffer over memory of the caller. A registration serves every range inside of it, as long as
 * its memory is alive: memory at the same address from another arena is other memory. The cache ends the least recently used
 * registrations beyond its limits; those in use stay.
 *
 * <p>Java reports no unmapping. So {@link #forget} memory that is going to be freed, or close its arena and let the next miss
 * find that out. Memory of an automatic arena stays reachable while it is cached. Safe for any thread.
 */
public final class RegistrationCache implements AutoCloseable {
    /** For this time a refused registration is refused again without asking the device. */
    static final long REFUSAL_NANOS = 1_000_000_000L;

    private static final int MAX_REGIONS = 1 << 20;

    private final Registrar registrar;
    private final LongSupplier clock;
    private final LeakDetector leaks;
    private final ReentrantLock lock = new ReentrantLock();
    private final CachedRegions regions; // guarded by the lock, as all below
    private final Refusals refusals = new Refusals();
    private final Set<CachedRegion> uncached = new LinkedHashSet<>(); // that end once they are not in use
    private long hits;
    private long misses;
    private long evictions;
    private long expirations;
    private boolean closed;

    /** Makes and ends the registrations of one memory. Calls may take milliseconds. */
    interface Registrar {
        /** Registers with every context, or with none. */
        List<LocalSegment> register(MemorySegment memory);

        /** Whether unfinished work requests name one of them. */
        boolean isUsed(List<LocalSegment> registrations);

        void end(List<LocalSegment> registrations);
    }

    RegistrationCache(int maxRegions, long maxBytes, LeakDetector leaks, Registrar registrar, LongSupplier clock) {
        Checks.inRange("RegistrationCache", "maxRegions", maxRegions, 1, MAX_REGIONS);
        Checks.inRange("RegistrationCache", "maxBytes", maxBytes, 1, Long.MAX_VALUE);
        this.registrar = registrar;
        this.clock = clock;
        this.leaks = leaks;
        this.regions = new CachedRegions(maxRegions, maxBytes);
    }

    /** {@link #open(int, long, LeakDetector, UrmaContext...)} without leak detection. */
    public static RegistrationCache open(int maxRegions, long maxBytes, UrmaContext... contexts) {
        return open(maxRegions, maxBytes, LeakDetector.OFF, contexts);
    }

    /**
     * An empty cache.
     *
     * @param maxRegions registrations that it keeps, 1 to 1,048,576
     * @param maxBytes bytes that it keeps registered
     * @param contexts with each of which memory is registered; at least one
     * @throws UrmaException EINVAL for a limit out of range, or no context
     */
    public static RegistrationCache open(int maxRegions, long maxBytes, LeakDetector leaks, UrmaContext... contexts) {
        if (contexts.length == 0) {
            throw Checks.invalid("RegistrationCache", "needs at least one context");
        }
        UrmaContext[] all = contexts.clone();
        return new RegistrationCache(
                maxRegions,
                maxBytes,
                leaks,
                new Registrar() {
                    @Override
                    public List<LocalSegment> register(MemorySegment memory) {
                        return Registrations.ofForeign(memory, all);
                    }

                    @Override
                    public boolean isUsed(List<LocalSegment> registrations) {
                        return Registrations.unfinished(registrations) > 0;
                    }

                    @Override
                    public void end(List<LocalSegment> registrations) {
                        Registrations.end(registrations);
                    }
                },
                System::nanoTime);
    }

    /**
     * A buffer over that memory, which stays the caller's and must stay alive until the buffer is closed.
     *
     * @throws UrmaException EINVAL for memory that is empty, read-only, on the Java heap or of a closed arena, or once the cache
     *     is closed; or what a context refuses the registration with, also if it did so within the last second
     */
    public RdmaBuf acquire(MemorySegment memory) {
        Registrations.checkForeign("RegistrationCache", memory);
        CachedRegion region = find(memory);
        if (region == null) {
            region = register(memory);
        }
        CachedRegion found = region;
        Block block = Block.over(found.memory(), found.registrations(), _ -> release(found));
        return RdmaBuf.lease(block, memory.address() - found.memory().address(), memory.byteSize(), leaks);
    }

    private @Nullable CachedRegion find(MemorySegment memory) {
        lock.lock();
        try {
            if (closed) {
                throw Checks.closed(this);
            }
            CachedRegion region = regions.use(memory);
            if (region == null) {
                refusals.throwIfRecent(memory, clock.getAsLong());
                misses++;
            } else {
                hits++;
            }
            return region;
        } finally {
            lock.unlock();
        }
    }

    private CachedRegion register(MemorySegment memory) {
        List<LocalSegment> registrations;
        try {
            registrations = registrar.register(memory);
        } catch (UrmaException e) {
            lock.lock();
            try {
                refusals.add(memory, e, clock.getAsLong());
            } finally {
                lock.unlock();
            }
            throw e;
        }
        CachedRegion region = new CachedRegion(memory, registrations);
        List<CachedRegion> over;
        boolean isTooLate;
        lock.lock();
        try {
            isTooLate = closed;
            if (isTooLate) {
                over = List.of(region);
            } else {
                region.users = 1;
                over = admit(region);
            }
        } finally {
            lock.unlock();
        }
        try {
            endAll(over);
        } catch (UrmaException e) {
            if (!isTooLate) {
                release(region); // the caller gets no buffer
            }
            throw e;
        }
        if (isTooLate) {
            throw Checks.closed(this);
        }
        return region;
    }

    /** Caches a region, if those that are not in use can make room for it; else it ends after this use. Returns what ends now. */
    private List<CachedRegion> admit(CachedRegion region) {
        int before = uncached.size();
        regions.removeDead(uncached);
        expirations += uncached.size() - before;
        before = uncached.size();
        regions.add(region, uncached, candidate -> !registrar.isUsed(candidate.registrations()));
        evictions += uncached.size() - before;
        if (!region.isCached) {
            uncached.add(region);
        }
        return takeUnused();
    }

    private List<CachedRegion> takeUnused() {
        List<CachedRegion> unused =
                uncached.stream().filter(region -> !isInUse(region)).toList();
        uncached.removeAll(unused);
        return unused;
    }

    private boolean isInUse(CachedRegion region) {
        return region.users > 0 || registrar.isUsed(region.registrations());
    }

    private void release(CachedRegion region) {
        boolean isOver;
        lock.lock();
        try {
            region.users--;
            isOver = !region.isCached && !isInUse(region) && uncached.remove(region);
        } finally {
            lock.unlock();
        }
        if (isOver) {
            registrar.end(region.registrations());
        }
    }

    private void endAll(List<CachedRegion> over) {
        RuntimeException failure = null;
        for (CachedRegion region : over) {
            try {
                registrar.end(region.registrations());
            } catch (UrmaException e) {
                failure = ClosingOrder.joined(failure, e);
            }
        }
        ClosingOrder.throwIfFailed(failure);
    }

    /**
     * Ends the registrations of memory that is going to be freed: all that share a byte with it.
     *
     * @throws UrmaException EAGAIN if a buffer over it is open, or work requests name it; then none has ended
     */
    public void forget(MemorySegment memory) {
        List<CachedRegion> over = new ArrayList<>();
        lock.lock();
        try {
            over.addAll(regions.overlapping(memory));
            uncached.stream().filter(region -> region.overlaps(memory)).forEach(over::add);
            for (CachedRegion region : over) {
                if (isInUse(region)) {
                    throw new UrmaException(UrmaStatus.EAGAIN, this, region + " is in use");
                }
            }
            over.forEach(uncached::remove);
            over.forEach(regions::remove);
        } finally {
            lock.unlock();
        }
        endAll(over);
    }

    /** A snapshot. */
    public RegistrationCacheStats stats() {
        lock.lock();
        try {
            return new RegistrationCacheStats(
                    regions.count(),
                    regions.bytes(),
                    regions.used(),
                    hits,
                    misses,
                    refusals.count(),
                    evictions,
                    expirations);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the registrations that are not in use, and the others with their last buffer. One that work requests posted by hand
     * still name then ends with the next {@code close}, or when its memory is {@linkplain #forget forgotten}. Idempotent.
     */
    @Override
    public void close() {
        List<CachedRegion> over;
        lock.lock();
        try {
            closed = true;
            regions.removeAll(uncached);
            over = takeUnused();
        } finally {
            lock.unlock();
        }
        endAll(over);
    }

    @Override
    public String toString() {
        return "registration cache";
    }
}
