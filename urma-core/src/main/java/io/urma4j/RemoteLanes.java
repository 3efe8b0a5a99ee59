package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The queues through which simple calls go: as many as threads need at once, up to a limit. Safe for any thread. */
final class RemoteLanes {
    /** Most queues; a power of two. One is made when all others are busy. */
    private static final int MAX_LANES = 8;

    private final Object owner;
    private final Lifetime life;
    private final Supplier<RemoteLane> maker;
    private final AtomicReferenceArray<RemoteLane> lanes = new AtomicReferenceArray<>(MAX_LANES);

    /**
     * With one lane.
     *
     * @param life of the owner, who closes this after its end
     * @throws UrmaException when there is no room for a queue
     */
    RemoteLanes(Object owner, Lifetime life, Supplier<RemoteLane> maker) {
        this.owner = owner;
        this.life = life;
        this.maker = maker;
        lanes.set(0, maker.get());
    }

    /** Runs an operation with a lane to itself; when the owner was closed meanwhile, its failure says so. */
    long perform(ToLongFunction<RemoteLane> operation) {
        RemoteLane lane = claim();
        try {
            return operation.applyAsLong(lane);
        } catch (UrmaException e) {
            if (life.isClosed()) {
                e = Checks.closed(owner); // whatever was found closed first
            }
            throw e;
        } finally {
            lane.lock.unlock();
        }
    }

    /** A lane that this thread has locked: a free one, else a new one, else the one that it waited for. */
    RemoteLane claim() {
        int start = (int) Thread.currentThread().threadId();
        int vacant = -1;
        for (int i = 0; i < MAX_LANES; i++) {
            int index = (start + i) & (MAX_LANES - 1);
            RemoteLane lane = lanes.get(index);
            if (lane == null) {
                vacant = index;
            } else if (lane.lock.tryLock()) {
                return lane;
            }
        }
        if (vacant >= 0) {
            return add(vacant);
        }
        RemoteLane lane = lanes.get(start & (MAX_LANES - 1));
        lane.lock.lock();
        return lane;
    }

    private RemoteLane add(int index) {
        RemoteLane lane = maker.get();
        lane.lock.lock();
        if (!lanes.compareAndSet(index, null, lane)) {
            lane.lock.unlock();
            lane.close();
            lane = lanes.get(index);
            lane.lock.lock();
        } else if (life.isClosed()) {
            lane.lock.unlock();
            lane.close();
            throw Checks.closed(owner);
        }
        return lane;
    }

    /** By the owner, after its end. */
    void close() {
        for (int i = 0; i < MAX_LANES; i++) {
            RemoteLane lane = lanes.get(i);
            if (lane != null) {
                lane.close();
            }
        }
    }
}
