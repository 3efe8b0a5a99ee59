package io.urma4j.udma.staging;

import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DmaEngine;
import io.urma4j.udma.device.CopyPort;
import io.urma4j.udma.device.CopyWaiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one copy engine, and its stream, in which copies end in the order of their start. Short fragments are for
 * packets of a common path MTU, long ones for all else. Under the card's lock, but for {@link #open}, {@link #close}, and {@link
 * #hasNews}.
 */
final class EngineSlab implements AutoCloseable {
    static final int SHORT_FRAGMENTS = 512;
    static final int LONG_FRAGMENTS = 64;
    static final int FRAGMENTS = SHORT_FRAGMENTS + LONG_FRAGMENTS;
    static final int SHORT_BYTES = 4096;

    /** So many fragments may be needed for one packet: one for each local range of a work request, and for those that it divides. */
    static final int OF_ONE_PACKET = 18;

    private static final long SLAB_BYTES =
            (long) SHORT_FRAGMENTS * SHORT_BYTES + (long) LONG_FRAGMENTS * CopyPort.MAX_BYTES;

    private final DmaEngine engine;
    private final Arena arena;
    private final DmaEngine.Pinning pinning;
    private final CopyStream stream;
    private final StagedCopy[] all = new StagedCopy[FRAGMENTS];
    private final Deque<StagedCopy> freeShort = new ArrayDeque<>(SHORT_FRAGMENTS);
    private final Deque<StagedCopy> freeLong = new ArrayDeque<>(LONG_FRAGMENTS);
    private final Deque<StagedCopy> running = new ArrayDeque<>(FRAGMENTS); // the oldest first
    private final List<StagedCopy> parked = new ArrayList<>(); // atomics between their halves, while their pages move
    private final Set<CopyWaiter> waiting = new LinkedHashSet<>();
    private final long timeoutNanos;
    private volatile @Nullable StagedCopy oldest; // of those that run, for the thread that watches

    private EngineSlab(
            int number,
            DmaEngine engine,
            Arena arena,
            MemorySegment slab,
            DmaEngine.Pinning pinning,
            long timeoutNanos) {
        this.engine = engine;
        this.timeoutNanos = timeoutNanos;
        this.arena = arena;
        this.pinning = pinning;
        this.stream = engine.openStream();
        long at = 0;
        for (int i = 0; i < FRAGMENTS; i++) {
            boolean isLong = i >= SHORT_FRAGMENTS;
            int bytes = isLong ? CopyPort.MAX_BYTES : SHORT_BYTES;
            all[i] = new StagedCopy(number * FRAGMENTS + i, slab.asSlice(at, bytes), isLong);
            (isLong ? freeLong : freeShort).addLast(all[i]);
            at += bytes;
        }
    }

    /**
     * Pins fragments for an engine; a failure leaves nothing pinned. Blocks.
     *
     * @param timeoutNanos a copy that has not ended by then is aborted
     */
    static EngineSlab open(int number, DmaEngine engine, long timeoutNanos) {
        Arena arena = Arena.ofShared();
        DmaEngine.Pinning pinning = null;
        try {
            MemorySegment slab = arena.allocate(SLAB_BYTES, SHORT_BYTES);
            pinning = engine.pinHost(slab);
            return new EngineSlab(number, engine, arena, slab, pinning, timeoutNanos);
        } catch (RuntimeException | Error e) {
            if (pinning != null) {
                pinning.close();
            }
            arena.close();
            throw e;
        }
    }

    DmaEngine engine() {
        return engine;
    }

    CopyStream stream() {
        return stream;
    }

    StagedCopy get(int index) {
        return all[index];
    }

    // ---- fragments

    /** A free fragment for that many bytes; null if there is none. */
    @Nullable
    StagedCopy take(int lengthBytes) {
        StagedCopy taken = lengthBytes <= SHORT_BYTES ? freeShort.pollLast() : null;
        return taken != null ? taken : freeLong.pollLast();
    }

    /** Gives a fragment back, of a copy that has ended or was never started; wakes the waiters. */
    void give(StagedCopy copy) {
        copy.region = null;
        copy.waiter = CopyWaiter.NONE;
        (copy.isLong ? freeLong : freeShort).addLast(copy);
        wakeWaiting();
    }

    /** Whether a packet finds fragments, none of whose ranges is longer. */
    boolean hasForPacket(int lengthBytes) {
        int free = lengthBytes <= SHORT_BYTES ? freeShort.size() + freeLong.size() : freeLong.size();
        return free >= OF_ONE_PACKET;
    }

    /** Whether at least half of the fragments are free. */
    boolean isHalfFree() {
        return freeLong.size() >= LONG_FRAGMENTS / 2 && freeShort.size() >= SHORT_FRAGMENTS / 2;
    }

    void await(CopyWaiter waiter) {
        waiting.add(waiter);
    }

    void wakeWaiting() {
        if (waiting.isEmpty()) {
            return;
        }
        List<CopyWaiter> woken = List.copyOf(waiting);
        waiting.clear();
        woken.forEach(CopyWaiter::copyEnded);
    }

    // ---- copies

    /** A copy was started. */
    void started(StagedCopy copy) {
        copy.startedNanos = System.nanoTime();
        running.addLast(copy);
        if (running.size() == 1) {
            oldest = copy;
        }
    }

    /** An atomic waits between its halves, until its pages are pinned anew. */
    void park(StagedCopy atomic) {
        parked.add(atomic);
    }

    /** Takes the atomic of a region that waits so; null if there is none. */
    @Nullable
    StagedCopy takeParked(Region region) {
        for (StagedCopy atomic : parked) {
            if (region.equals(atomic.region)) {
                parked.remove(atomic);
                return atomic;
            }
        }
        return null;
    }

    boolean isIdle() {
        return running.isEmpty() && parked.isEmpty();
    }

    /**
     * Has a barrier wait for some of the copies in progress: for the youngest of them, before which the others end, and for each
     * atomic, whose second half begins later. Returns whether there are any.
     */
    boolean await(Barrier barrier, Predicate<StagedCopy> which) {
        boolean isAny = false;
        Iterator<StagedCopy> youngestFirst = running.descendingIterator();
        while (youngestFirst.hasNext()) {
            StagedCopy copy = youngestFirst.next();
            if ((!isAny || copy.hasSecondHalf()) && which.test(copy)) {
                copy.await(barrier);
                isAny = true;
            }
        }
        for (StagedCopy atomic : parked) {
            if (which.test(atomic)) {
                atomic.await(barrier);
                isAny = true;
            }
        }
        return isAny;
    }

    /** Takes the oldest copy if it has ended; null if not. Aborts one that takes too long. */
    @Nullable
    StagedCopy takeEnded() {
        StagedCopy first = running.peekFirst();
        if (first == null) {
            return null;
        }
        if (!first.copy.isDone()) {
            abortLate(first);
            return null;
        }
        running.removeFirst();
        oldest = running.peekFirst();
        return first;
    }

    private void abortLate(StagedCopy first) {
        if (first.isLate(timeoutNanos)) {
            first.startedNanos = System.nanoTime();
            oldest = first; // shows the thread that watches the new time
            stream.abort(first.copy);
        }
    }

    /** Whether the oldest copy has ended, or is to be aborted. Any thread. */
    boolean hasNews() {
        StagedCopy first = oldest;
        return first != null && (first.copy.isDone() || first.isLate(timeoutNanos));
    }

    /** Whether copies are in progress. Any thread. */
    boolean isRunning() {
        return oldest != null;
    }

    /** Waits for the copies in progress, and unpins the fragments. After the last call of the card. */
    @Override
    public void close() {
        stream.close();
        if (running.stream().allMatch(copy -> copy.copy.isDone())) {
            pinning.close();
            arena.close();
        } // else the device may still write them
    }

    @Override
    public String toString() {
        return running.size() + " copies of " + engine;
    }
}
