package io.urma4j.internal.remote;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The queues through which simple calls go: as many as threads need at once, up to a limit. Safe for any thread. */
public final class RemoteLanes {
    /** Most queues; a power of two. One is made when all others are busy. */
    private static final int MAX_LANES = 8;

    private final Object owner;
    private final Lifetime life;
    private final Supplier<RemoteLane> maker;
    private final AtomicReferenceArray<RemoteLane> lanes = new AtomicReferenceArray<>(MAX_LANES);

    /**
     * With one lane.
     *
     * @param life of the owner, which closes this after its end
     * @throws UrmaException when there is no room for a queue
     */
    public RemoteLanes(Object owner, Lifetime life, Supplier<RemoteLane> maker) {
        this.owner = owner;
        this.life = life;
        this.maker = maker;
        lanes.set(0, maker.get());
    }

    /** Runs an operation with a lane to itself; when the owner was closed meanwhile, its failure says so. */
    public long perform(ToLongFunction<RemoteLane> operation) {
        return perform(Nanos.FOREVER, operation);
    }

    /** The same; ends with ETIMEOUT when it takes longer, and may still be done then. */
    public long perform(long timeoutNanos, ToLongFunction<RemoteLane> operation) {
        RemoteLane lane = claimWithin(timeoutNanos);
        try {
            return operation.applyAsLong(lane);
        } catch (UrmaException e) {
            throw told(e);
        } finally {
            lane.lock.unlock();
        }
    }

    /** Reads 8 bytes, as {@link #perform} would; makes no object for the operation. */
    long readLong(long timeoutNanos, long offset) {
        RemoteLane lane = claimWithin(timeoutNanos);
        try {
            return lane.readLong(offset);
        } catch (UrmaException e) {
            throw told(e);
        } finally {
            lane.lock.unlock();
        }
    }

    private RemoteLane claimWithin(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        RemoteLane lane = claim(deadline);
        if (lane == null) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    owner,
                    "all its queues were busy for " + Duration.ofNanos(timeoutNanos) + "; nothing was done");
        }
        return lane.limit(timeoutNanos, deadline);
    }

    private UrmaException told(UrmaException failure) {
        return life.isClosed() ? Checks.closed(owner) : failure; // whatever was found closed first
    }

    /** A lane that this thread has locked, without limit. */
    public RemoteLane claim() {
        return claimWithin(Nanos.FOREVER);
    }

    /** A free lane, else a new one, else the one that it waited for; null when the time is over. */
    private @Nullable RemoteLane claim(long deadline) {
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
            return add(vacant, deadline);
        }
        RemoteLane lane = lanes.get(start & (MAX_LANES - 1));
        return lockUntil(lane, deadline) ? lane : null;
    }

    private static boolean lockUntil(RemoteLane lane, long deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return lane.lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true; // ends no operation
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A new lane, else the one that another thread has made at that place meanwhile; null when the time is over. */
    private @Nullable RemoteLane add(int index, long deadline) {
        RemoteLane lane = maker.get();
        lane.lock.lock();
        if (!lanes.compareAndSet(index, null, lane)) {
            lane.lock.unlock();
            lane.close();
            RemoteLane other = lanes.get(index);
            return lockUntil(other, deadline) ? other : null;
        }
        if (life.isClosed()) {
            lane.lock.unlock();
            lane.close();
            throw Checks.closed(owner);
        }
        return lane;
    }

    /** By the owner, after its end. */
    public void close() {
        for (int i = 0; i < MAX_LANES; i++) {
            RemoteLane lane = lanes.get(i);
            if (lane != null) {
                lane.close();
            }
        }
    }
}
