package io.urma4j.udma.staging;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DmaEngine;
import io.urma4j.udma.device.CopyPort;
import io.urma4j.udma.device.CopyWaiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
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

    /** A copy that has not ended by then is aborted. */
    static final long TIMEOUT_NANOS = 30_000_000_000L;

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
    private final Set<CopyWaiter> waiting = new LinkedHashSet<>();
    private volatile @Nullable Copy oldest; // of those that run, for the thread that watches

    private EngineSlab(int number, DmaEngine engine, Arena arena, MemorySegment slab, DmaEngine.Pinning pinning) {
        this.engine = engine;
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

    /** Pins fragments for an engine; a failure leaves nothing pinned. Blocks. */
    static EngineSlab open(int number, DmaEngine engine) {
        Arena arena = Arena.ofShared();
        DmaEngine.Pinning pinning = null;
        try {
            MemorySegment slab = arena.allocate(SLAB_BYTES, SHORT_BYTES);
            pinning = engine.pinHost(slab);
            return new EngineSlab(number, engine, arena, slab, pinning);
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
            oldest = copy.copy;
        }
    }

    boolean isIdle() {
        return running.isEmpty();
    }

    /** Has a barrier wait for the copies in progress; the slab is not idle. An atomic counts as a whole. */
    void await(Barrier barrier) {
        running.getLast().await(barrier);
    }

    /** The same for the youngest of some copies, and so for all of them. Returns whether there is one. */
    boolean await(Barrier barrier, Predicate<StagedCopy> which) {
        Iterator<StagedCopy> youngestFirst = running.descendingIterator();
        while (youngestFirst.hasNext()) {
            StagedCopy copy = youngestFirst.next();
            if (which.test(copy)) {
                copy.await(barrier);
                return true;
            }
        }
        return false;
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
        StagedCopy next = running.peekFirst();
        oldest = next == null ? null : next.copy;
        return first;
    }

    private void abortLate(StagedCopy first) {
        long now = System.nanoTime();
        if (now - first.startedNanos > TIMEOUT_NANOS) {
            first.startedNanos = now;
            stream.abort(first.copy);
        }
    }

    /** Whether the oldest copy has ended. Any thread. */
    boolean hasNews() {
        Copy first = oldest;
        return first != null && first.isDone();
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
