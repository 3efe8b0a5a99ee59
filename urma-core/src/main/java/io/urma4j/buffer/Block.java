package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.RangeGrant;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.spi.support.FieldHandle;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Memory that has one lease at a time. Safe for any thread.
 *
 * <pre>
 *  state  bits  0…15  operations that hold it
 *         bits 16…27  open handles of the lease
 *         bits 28…63  generation
 * </pre>
 *
 * <p>One atomic step closes the last handle and moves the generation, so every view of the lease is stale from then on. The
 * block returns to its source once no operation holds it either. Only then may the source begin the next lease.
 *
 * <p>Memory order: each change of the state is a full fence. Whatever the next lease stores is therefore stored after the
 * generation moved. A reader that loads bytes, and then still finds its own generation, has loaded none of these.
 */
final class Block extends LeaseWords.After {
    private static final System.Logger LOG = System.getLogger(Block.class.getName());

    /** Of the invalid view; no view of it is ever live. */
    static final Block NONE = new Block(MemorySegment.NULL, List.of(), none -> {});

    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    static final int MAX_HANDLES = (1 << 12) - 1;
    static final int MAX_HOLDS = (1 << 16) - 2; // and one of an ending scope

    private static final VarHandle STATE = FieldHandle.of(MethodHandles.lookup(), "state", long.class);
    private static final int HOLD_MASK = (1 << 16) - 1;
    private static final int HANDLE_SHIFT = 16;
    private static final int GENERATION_SHIFT = 28;
    private static final long HANDLE = 1L << HANDLE_SHIFT;
    private static final long GENERATION = 1L << GENERATION_SHIFT;

    private final MemorySegment memory;
    private final List<LocalSegment> registrations;
    private final boolean sharesRegistrations;
    private final @Nullable Function<Arena, MemorySegment> scoped; // makes memory for one lease alone
    private final Access exportable; // the most that peers may be granted
    private final Consumer<Block> source;
    private volatile @Nullable LeaseExports
            exports; // of the lease, or of the last one while a peer still uses a window

    private volatile @Nullable LeaseScope scope; // of the lease, where each has its own

    /**
     * @param registrations of exactly {@code memory}, one for each context
     * @param source receives the block back after each lease, on the thread that ended its last use
     */
    Block(MemorySegment memory, List<LocalSegment> registrations, Consumer<Block> source) {
        this(memory, registrations, false, null, Access.LOCAL_ONLY, source);
    }

    private Block(
            MemorySegment memory,
            List<LocalSegment> registrations,
            boolean sharesRegistrations,
            @Nullable Function<Arena, MemorySegment> scoped,
            Access exportable,
            Consumer<Block> source) {
        this.memory = memory;
        this.registrations = registrations;
        this.sharesRegistrations = sharesRegistrations;
        this.scoped = scoped;
        this.exportable = exportable;
        this.source = source;
    }

    /** A block that has a part of a slab; other blocks have the rest, under the same registrations. */
    static Block partOf(SlabMemory slab, Consumer<Block> source) {
        return new Block(slab.memory(), slab.registrations(), true, slab.scoped(), slab.exportable(), source);
    }

    /** A block over memory of the caller, whose registrations other blocks share. */
    static Block over(MemorySegment memory, List<LocalSegment> registrations, Consumer<Block> source) {
        return new Block(memory, registrations, true, null, Access.LOCAL_ONLY, source);
    }

    /** The memory; of the current lease alone, where each has its own scope. */
    MemorySegment memory() {
        LeaseScope now = scope;
        return now == null ? memory : now.memory();
    }

    List<LocalSegment> registrations() {
        return registrations;
    }

    /** The most access that a window of it may have; LOCAL_ONLY if it has none. */
    Access exportable() {
        return exportable;
    }

    /** Its registration with a context. */
    LocalSegment registeredWith(UrmaContext context, Object view) {
        LocalSegment registration = registrationWith(context);
        if (registration == null) {
            throw Checks.invalid(view, "is not registered with " + context);
        }
        return registration;
    }

    /** Its registration with a context; null if it has none. */
    @Nullable
    LocalSegment registrationWith(UrmaContext context) {
        for (int i = 0; i < registrations.size(); i++) { // without the garbage of an iterator
            LocalSegment registration = registrations.get(i);
            if (registration.context() == context) {
                return registration;
            }
        }
        return null;
    }

    /**
     * EAGAIN if work requests posted by hand are unfinished: no hold accounts for them. The count is the registration's, so
     * it says nothing about a block that shares it.
     */
    void checkNothingUnfinished(Object handle) {
        if (sharesRegistrations) {
            return;
        }
        int unfinished = Registrations.unfinished(registrations);
        if (unfinished > 0) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN, handle, "cannot be closed, " + unfinished + " unfinished work requests name it");
        }
    }

    /** Begins a lease of that many bytes with one handle, by the source alone; returns its generation. */
    long beginLease(long lengthBytes) {
        long idle = state;
        assert handles(idle) == 0 && holds(idle) == 0 : this;
        if (scoped != null) {
            scope = new LeaseScope(scoped);
        }
        leaseBytes = lengthBytes;
        state = idle + HANDLE;
        return generation(idle);
    }

    /** Bytes of the lease; of the last one, where there is none. By the source alone. */
    long leaseBytes() {
        return leaseBytes;
    }

    boolean isLive(long generation) {
        return generation((long) STATE.getAcquire(this)) == generation;
    }

    /** Whether bytes that the caller has loaded belong to the lease; the loads before the call come before this one. */
    boolean isStillLive(long generation) {
        VarHandle.loadLoadFence();
        return generation((long) STATE.getOpaque(this)) == generation;
    }

    /** Whether closing one handle returns the block to its source at once. */
    boolean isLastUse(long generation) {
        long now = state;
        return generation(now) == generation && handles(now) == 1 && holds(now) == 0;
    }

    /** Adds a handle; refuses once the lease has ended. */
    void retain(long generation, Object handle) {
        while (true) {
            long now = state;
            checkLive(now, generation, handle);
            if (handles(now) == MAX_HANDLES) {
                throw tooMany(handle, MAX_HANDLES, "handles");
            }
            if (STATE.compareAndSet(this, now, now + HANDLE)) {
                return;
            }
        }
    }

    /** Removes a handle, by its owner and once; no effect if {@link #revoke} has ended the lease. */
    void release(long generation) {
        while (true) {
            long now = state;
            if (generation(now) != generation) {
                return;
            }
            assert handles(now) > 0 : this;
            if (handles(now) == 1) {
                if (endLease(now)) {
                    return;
                }
            } else if (STATE.compareAndSet(this, now, now - HANDLE)) {
                return;
            }
        }
    }

    /** Ends the lease, if there is one, with all its handles; returns whether there was. Operations keep the memory until they end. */
    boolean revoke() {
        while (true) {
            long now = state;
            if (handles(now) == 0) {
                return false;
            }
            if (endLease(now)) {
                return true;
            }
        }
    }

    /** Ends the lease of a state, with all its handles; false if the state has changed. A scope holds the block until its end. */
    private boolean endLease(long now) {
        LeaseScope ending = scope;
        long next = now - handles(now) * HANDLE + GENERATION + (ending == null ? 0 : 1);
        if (!STATE.compareAndSet(this, now, next)) {
            return false;
        }
        takeBackExports(generation(now));
        if (ending == null) {
            returnIfUnused(next);
        } else if (ending.tryEnd()) {
            unhold();
        } else {
            ending.endLater(this::unholdQuietly); // no next owner before that
        }
        return true;
    }

    // ---- windows of peers

    /**
     * Adds what a lease has granted. The caller holds the block, so that it does not return meanwhile.
     *
     * @return false if the lease has ended; then the grants are revoked, or the caller's to revoke
     */
    boolean addExport(long generation, Object peer, List<?> keys, List<? extends RangeGrant> grants) {
        boolean isAdded = exportsOf(generation).add(peer, keys, grants);
        if (isAdded && generation() != generation) {
            takeBackExports(generation); // the thread that ended the lease may have looked too early
            return false;
        }
        return isAdded;
    }

    private synchronized LeaseExports exportsOf(long generation) {
        LeaseExports known = exports;
        if (known == null || known.generation() != generation) {
            known = new LeaseExports(generation);
            exports = known;
        }
        return known;
    }

    /** Revokes the ranges of an export of the lease; true if no peer uses them any more. */
    boolean takeBackExport(long generation, List<?> keys) {
        LeaseExports known = exports;
        return known == null || known.generation() != generation || known.takeBack(keys);
    }

    /** Revokes the windows of a lease that has ended. Those of a later lease stay. */
    private void takeBackExports(long generation) {
        LeaseExports known = exports;
        if (known != null && known.generation() == generation) {
            known.takeBackAll();
        }
    }

    /** Revokes the windows of the last lease; true if no peer uses one any more. By the source, before the next lease. */
    boolean endExports() {
        LeaseExports known = exports;
        if (known == null) {
            return true;
        }
        known.takeBackAll();
        if (!known.areQuiet() && !Registrations.areRevoked(registrations)) {
            return false;
        }
        exports = null;
        return true;
    }

    /** Adds what each peer has of the lease, or still uses of the last one. */
    void addPeers(Map<Object, PeerUse> uses) {
        LeaseExports known = exports;
        if (known != null) {
            known.addPeers(uses);
        }
    }

    /** How many leases have ended. */
    long generation() {
        return generation(state);
    }

    /** Adds an operation; refuses once the lease has ended. {@link #unhold} must follow its last record. */
    void hold(long generation, Object view) {
        while (true) {
            long now = state;
            checkLive(now, generation, view);
            if (holds(now) == MAX_HOLDS) {
                throw tooMany(view, MAX_HOLDS, "unfinished operations");
            }
            if (STATE.compareAndSet(this, now, now + 1)) {
                return;
            }
        }
    }

    /** Removes an operation: its last record was polled, or its queue was closed. */
    void unhold() {
        while (true) {
            long now = state;
            assert holds(now) > 0 : this;
            if (STATE.compareAndSet(this, now, now - 1)) {
                returnIfUnused(now - 1);
                return;
            }
        }
    }

    /** {@link #release} on a thread that did not ask for it, where a failure is logged. */
    void releaseQuietly(long generation) {
        try {
            release(generation);
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, this + " could not be returned", e);
        }
    }

    /** {@link #unhold} by a thread that polls: a failure must not cost it records. */
    void unholdQuietly() {
        try {
            unhold();
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, this + " could not be returned", e);
        }
    }

    private void returnIfUnused(long now) {
        if (handles(now) != 0 || holds(now) != 0) {
            return;
        }
        try {
            source.accept(this);
        } catch (UrmaException e) {
            if (sharesRegistrations || e.status() != UrmaStatus.EAGAIN) {
                throw e;
            }
            ResultExecutors.VIRTUAL_THREADS.execute(this::returnLater);
        }
    }

    /** Work requests that were posted by hand are unfinished, and end unheard. */
    private void returnLater() {
        for (long pauseNanos = SHORTEST_PAUSE_NANOS; !tryReturn(); ) {
            LockSupport.parkNanos(this, pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    /** Returns it to its source; false if requests are unfinished. */
    private boolean tryReturn() {
        try {
            source.accept(this);
            return true;
        } catch (UrmaException e) {
            if (e.status() == UrmaStatus.EAGAIN) {
                return false;
            }
            LOG.log(Level.WARNING, this + " could not be returned", e);
            return true;
        }
    }

    private static void checkLive(long state, long generation, Object user) {
        if (generation(state) != generation) {
            throw Checks.closed(user);
        }
    }

    private static UrmaException tooMany(Object user, int limit, String what) {
        return new UrmaException(UrmaStatus.ENOMEM, user, "limit of " + limit + " " + what + " of one buffer reached");
    }

    private static long generation(long state) {
        return state >>> GENERATION_SHIFT;
    }

    private static int handles(long state) {
        return (int) (state >>> HANDLE_SHIFT) & MAX_HANDLES;
    }

    private static int holds(long state) {
        return (int) state & HOLD_MASK;
    }

    @Override
    public String toString() {
        long now = state;
        return "block of " + memory.byteSize() + " bytes in generation " + generation(now) + " with " + handles(now)
                + " handles and " + holds(now) + " operations";
    }
}
