package io.urma4j.spi.support;

import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.PeerRegion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The copies of a context between device memory and memory of the host. A copy engine reaches host memory that its driver has
 * pinned, and the mapping of a peer's memory may vanish; so bytes go through fragments of a pinned slab ({@link StagedLane}).
 * Lanes are made at their first use, at most {@link #MAX_LANES} for an engine; a copy that finds none waits. Safe for any thread.
 */
public final class StagedCopies implements AutoCloseable {
    /** Copies of one engine at once: each has a stream and a slab. */
    static final int MAX_LANES = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition laneIsBack = lock.newCondition();
    private final Map<DmaEngine, Lanes> engines = new HashMap<>(); // guarded by the lock, with all below
    private boolean closed;

    /** The lanes of one engine. */
    private static final class Lanes {
        final Deque<StagedLane> free = new ArrayDeque<>();
        int made;
    }

    /** No copy has been made. */
    public StagedCopies() {}

    /** A region whose bytes travel by these copies. */
    public StagedRegion region(PeerRegion region) {
        return new StagedRegion(region, this);
    }

    /** Takes a lane of that engine; the caller gives it back. ISE if these copies are closed. */
    StagedLane take(DmaEngine engine) {
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw new IllegalStateException("the context is closed");
                }
                Lanes lanes = engines.computeIfAbsent(engine, _ -> new Lanes());
                StagedLane lane = lanes.free.pollLast(); // the last one's slab may still be cached
                if (lane != null) {
                    return lane;
                }
                if (lanes.made < MAX_LANES) {
                    StagedLane made = StagedLane.open(engine);
                    lanes.made++;
                    return made;
                }
                laneIsBack.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives a lane back. One with a copy that does not end is never used again: its slab stays pinned for that copy. */
    void give(DmaEngine engine, StagedLane lane) {
        lock.lock();
        try {
            Lanes lanes = engines.get(engine);
            assert lanes != null : "no lane of " + engine + " was taken";
            boolean isKept = !closed && lane.isIdle();
            if (isKept) {
                lanes.free.addLast(lane);
            } else {
                lanes.made--;
            }
            laneIsBack.signalAll(); // others may wait for another engine
            if (isKept) {
                return;
            }
        } finally {
            lock.unlock();
        }
        lane.close();
    }

    /** Ends the streams and unpins the slabs; a copy in progress closes its lane itself. Idempotent. */
    @Override
    public void close() {
        Map<DmaEngine, Lanes> all;
        lock.lock();
        try {
            closed = true;
            all = Map.copyOf(engines);
            laneIsBack.signalAll();
        } finally {
            lock.unlock();
        }
        for (Lanes lanes : all.values()) {
            lanes.free.forEach(StagedLane::close);
            lanes.free.clear();
        }
    }

    @Override
    public String toString() {
        return "staged copies";
    }
}
