package io.urma4j.udma.staging;

import io.urma4j.libc.NativeMemory;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.PeerRegion;
import io.urma4j.udma.device.CopyPort;
import io.urma4j.udma.device.CopyWaiter;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a card between registered device memory and pinned fragments. One stream for each copy engine keeps them in order.
 * The card calls it under its lock; registrations are for any thread. A {@link CopyWatch} has the card look when copies have ended.
 */
public final class Stager implements CopyPort, AutoCloseable {
    /** Copy engines of one card. */
    private static final int MAX_ENGINES = 64;

    /** A copy that has not ended by then is aborted. */
    private static final long TIMEOUT_NANOS = 30_000_000_000L;

    /** How long an aborted copy may take to end. */
    private static final long ABORT_NANOS = 5_000_000_000L;

    private final CopyWatch watch = new CopyWatch();
    private volatile EngineSlab[] slabs = {}; // both change under this object's monitor
    private volatile @Nullable Region[] regions = new Region[1]; // by number; 0 is none
    private boolean isClosed;
    private final long timeoutNanos;

    private final Map<Long, Barrier> barriers = new HashMap<>(); // by number; both under the card's lock
    private long lastBarrier;

    /** Without device memory. */
    public Stager() {
        this(TIMEOUT_NANOS);
    }

    /** Aborts copies that have not ended by then. */
    Stager(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /** Has tasks run under the card's lock by that call, which steps the card afterwards. Before the first registration. */
    public void start(Consumer<Runnable> card) {
        watch.start(card, this::poll, () -> slabs);
    }

    // ---- registrations; any thread

    /**
     * Takes a registration; pins fragments for its copy engine, if that is the first one.
     *
     * @return the number of the region
     * @throws IllegalStateException if the device is closed, or uses too many copy engines
     */
    public synchronized int add(PeerRegion memory) {
        if (isClosed) {
            throw new IllegalStateException("the device is closed");
        }
        Region added = new Region(memory, slabOf(memory.engine()));
        @Nullable Region[] old = regions;
        int number = 1;
        while (number < old.length && old[number] != null) {
            number++;
        }
        @Nullable Region[] next = Arrays.copyOf(old, Math.max(old.length, number + 1));
        next[number] = added;
        regions = next;
        return number;
    }

    private EngineSlab slabOf(DmaEngine engine) {
        for (EngineSlab slab : slabs) {
            if (slab.engine().equals(engine)) {
                return slab;
            }
        }
        if (slabs.length == MAX_ENGINES) {
            throw new IllegalStateException("the device uses " + MAX_ENGINES + " copy engines, no more");
        }
        EngineSlab[] next = Arrays.copyOf(slabs, slabs.length + 1);
        next[slabs.length] = EngineSlab.open(slabs.length, engine, timeoutNanos);
        slabs = next;
        return next[next.length - 1];
    }

    /** The registration has no key any more. */
    public synchronized void remove(int number) {
        @Nullable Region[] next = regions.clone();
        next[number] = null;
        regions = next;
    }

    // ---- barriers

    @Override
    public long barrier(long earlier, int number, CopyWaiter waiter) {
        Region region = regions[number];
        if (region == null || region.slab.isIdle()) {
            return earlier;
        }
        Barrier barrier = barriers.get(earlier);
        if (barrier == null) {
            barrier = new Barrier(++lastBarrier, waiter);
            barriers.put(barrier.number(), barrier);
        }
        region.slab.await(barrier, _ -> true);
        return barrier.number();
    }

    /**
     * Completed once the copies have ended that are in progress now, of a region or others of its device. Under the card's lock.
     */
    public CompletableFuture<Void> quiet(int number) {
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        CopyWaiter waiter = () -> quiet.completeAsync(() -> null); // not under the card's lock
        if (barrier(Memory.AT_ONCE, number, waiter) == Memory.AT_ONCE) {
            quiet.complete(null);
        }
        return quiet;
    }

    /**
     * Completed once no byte moves into memory of a device by copies that are in progress now and were released: those of requests
     * that ended without a record. Under the card's lock.
     */
    public CompletableFuture<Void> releasedCopies() {
        return ends(StagedCopy::isForgottenIn);
    }

    /** The same for all copies into memory of a device that are in progress now. */
    public CompletableFuture<Void> copiesIn() {
        return ends(StagedCopy::isIn);
    }

    /** A device that does not end them, though they were aborted, is waited for no longer: closing its memory reports that. */
    private CompletableFuture<Void> ends(Predicate<StagedCopy> which) {
        CompletableFuture<Void> ends = new CompletableFuture<>();
        Barrier barrier = new Barrier(++lastBarrier, () -> ends.completeAsync(() -> null));
        boolean isAny = false;
        for (EngineSlab slab : slabs) {
            isAny |= slab.await(barrier, which);
        }
        return isAny
                ? ends.completeOnTimeout(null, timeoutNanos + ABORT_NANOS, TimeUnit.NANOSECONDS)
                : CompletableFuture.completedFuture(null);
    }

    // ---- copies

    @Override
    public long copyOut(int number, long offset, int lengthBytes, CopyWaiter waiter) {
        return begin(number, StagedCopy.Kind.OUT, offset, null, 0, lengthBytes, waiter);
    }

    @Override
    public long copyIn(
            int number, long offset, NativeMemory from, long fromOffset, int lengthBytes, CopyWaiter waiter) {
        return begin(number, StagedCopy.Kind.IN, offset, from, fromOffset, lengthBytes, waiter);
    }

    @Override
    public long atomic(
            int opcode, int number, long offset, int sizeBytes, long operand, long expected, CopyWaiter waiter) {
        long copy = begin(number, StagedCopy.Kind.ATOMIC_OUT, offset, null, 0, sizeBytes, waiter);
        if (copy > 0) {
            find(copy).beginAtomic(opcode, operand, expected);
        }
        return copy;
    }

    /** Nothing changes a region while an atomic owns it. */
    private long begin(
            int number,
            StagedCopy.Kind kind,
            long offset,
            @Nullable NativeMemory from,
            long fromOffset,
            int lengthBytes,
            CopyWaiter waiter) {
        Region region = regions[number];
        if (region == null) {
            return Memory.REFUSED;
        }
        EngineSlab slab = region.slab;
        boolean isOwned = region.hasAtomic && kind != StagedCopy.Kind.OUT;
        StagedCopy copy = isOwned ? null : slab.take(lengthBytes);
        if (copy == null) {
            slab.await(waiter);
            return Memory.BUSY;
        }
        copy.begin(region, kind, offset, lengthBytes, waiter);
        if (from != null) {
            MemorySegment.copy(from.segment(), fromOffset, copy.fragment, 0, lengthBytes);
        }
        boolean isStarted = false;
        boolean hasFailed = false;
        try {
            isStarted = start(copy, region);
        } catch (RuntimeException e) {
            hasFailed = true; // the device is lost, or its library is closed
        }
        if (isStarted) {
            region.hasAtomic |= kind == StagedCopy.Kind.ATOMIC_OUT;
            return copy.number();
        }
        slab.give(copy);
        return hasFailed ? Memory.REFUSED : refused(region, waiter);
    }

    private boolean start(StagedCopy copy, Region region) {
        boolean isOut = copy.kind == StagedCopy.Kind.OUT || copy.kind == StagedCopy.Kind.ATOMIC_OUT;
        boolean isStarted = isOut
                ? region.memory.tryCopyOut(region.slab.stream(), copy.offset, copy.bytes(), copy.copy)
                : region.memory.tryCopyIn(region.slab.stream(), copy.offset, copy.bytes(), copy.copy);
        if (isStarted) {
            region.slab.started(copy);
            watch.begun();
        }
        return isStarted;
    }

    /** The region admits no copy: it is gone, or its pages move and a thread must pin them anew. */
    private long refused(Region region, CopyWaiter waiter) {
        if (!region.memory.isUsable()) {
            return Memory.REFUSED;
        }
        boolean wasStuck = region.isStuck;
        region.isStuck = false;
        reopen(region);
        if (wasStuck) {
            return Memory.REFUSED;
        }
        region.slab.await(waiter);
        return Memory.BUSY;
    }

    private void reopen(Region region) {
        if (!region.isReopening) {
            region.isReopening = true;
            watch.reopen(region, isStuck -> reopened(region, isStuck));
        }
    }

    /** Goes on with an atomic whose pages have moved between its halves. */
    private void reopened(Region region, boolean isStuck) {
        region.isReopening = false;
        StagedCopy atomic = region.slab.takeParked(region);
        region.isStuck = isStuck && atomic == null; // otherwise the atomic is the operation that fails for it
        if (atomic != null && (isStuck || !isSecondHalfBegun(atomic, region))) {
            atomic.isRefused = true;
            disown(region);
            end(atomic);
        }
        region.slab.wakeWaiting();
    }

    @Override
    public void join(long copy, long other) {
        StagedCopy last = find(copy);
        while (last.next != null) {
            last = last.next;
        }
        last.next = find(other);
    }

    private StagedCopy find(long number) {
        int slot = StagedCopy.slot(number);
        StagedCopy copy = slabs[slot / EngineSlab.FRAGMENTS].get(slot % EngineSlab.FRAGMENTS);
        if (copy.number() != number || copy.region == null || copy.isReleased) {
            throw new IllegalArgumentException("unknown copy " + number);
        }
        return copy;
    }

    @Override
    public boolean mayBegin(int number, int lengthBytes, CopyWaiter waiter) {
        Region region = regions[number];
        if (region == null || !region.hasAtomic && region.slab.hasForPacket(lengthBytes)) {
            return true;
        }
        region.slab.await(waiter);
        return false;
    }

    @Override
    public boolean hasRoom(int number, CopyWaiter waiter) {
        Region region = regions[number];
        if (region == null || region.slab.isHalfFree()) {
            return true;
        }
        region.slab.await(waiter);
        return false;
    }

    @Override
    public CopyState state(long copy) {
        if (Barrier.isNumber(copy)) {
            return barriers.containsKey(copy) ? CopyState.RUNNING : CopyState.DONE;
        }
        return find(copy).state();
    }

    @Override
    public MemorySegment bytes(long copy) {
        return find(copy).bytes();
    }

    @Override
    public long original(long copy) {
        return find(copy).original();
    }

    @Override
    public void release(long number) {
        if (Barrier.isNumber(number)) {
            return; // it is forgotten at its end
        }
        StagedCopy copy = find(number);
        while (copy != null) {
            StagedCopy next = copy.next;
            copy.isReleased = true;
            copy.waiter = CopyWaiter.NONE;
            giveIfOver(copy);
            copy = next;
        }
    }

    private void giveIfOver(StagedCopy copy) {
        Region region = copy.region;
        if (copy.isReleased && copy.hasEnded && region != null) {
            region.slab.give(copy);
        }
    }

    // ---- ends

    @Override
    public void poll() {
        for (EngineSlab slab : slabs) {
            if (!slab.isIdle()) {
                poll(slab);
            }
        }
    }

    private void poll(EngineSlab slab) {
        for (StagedCopy ended = slab.takeEnded(); ended != null; ended = slab.takeEnded()) {
            if (!goesOn(ended)) {
                end(ended);
            }
        }
    }

    private void end(StagedCopy copy) {
        copy.hasEnded = true;
        copy.waiter.copyEnded();
        pass(copy.barriers);
        giveIfOver(copy);
    }

    private void pass(List<Barrier> awaiting) {
        if (awaiting.isEmpty()) {
            return;
        }
        for (Barrier barrier : awaiting) {
            if (barrier.isPassed()) {
                barriers.remove(barrier.number());
            }
        }
        awaiting.clear();
    }

    /** Whether it is an atomic whose second half begins, now or when its pages have moved. */
    private boolean goesOn(StagedCopy copy) {
        Region region = copy.region;
        if (!copy.isAtomic() || region == null) {
            return false;
        }
        if (copy.hasSecondHalf() && copy.copy.failure() == null) {
            copy.beginSecondHalf();
            if (isSecondHalfBegun(copy, region)) {
                return true;
            }
            copy.isRefused = true;
        }
        disown(region);
        return false;
    }

    private boolean isSecondHalfBegun(StagedCopy atomic, Region region) {
        try {
            if (start(atomic, region)) {
                return true;
            }
        } catch (RuntimeException e) {
            return false; // the device is lost, or its library is closed
        }
        if (!region.memory.isUsable()) {
            return false;
        }
        region.slab.park(atomic);
        reopen(region);
        return true;
    }

    private static void disown(Region region) {
        region.hasAtomic = false;
        region.slab.wakeWaiting();
    }

    /** Ends the threads, and unpins the fragments. After the last call of the card. Idempotent. */
    @Override
    public void close() {
        EngineSlab[] all;
        synchronized (this) {
            isClosed = true;
            all = slabs;
            slabs = new EngineSlab[0];
        }
        watch.close();
        for (EngineSlab slab : all) {
            slab.close();
        }
    }

    @Override
    public String toString() {
        return "copies of " + Arrays.toString(slabs);
    }
}
