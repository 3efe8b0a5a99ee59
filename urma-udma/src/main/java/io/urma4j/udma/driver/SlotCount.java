package io.urma4j.udma.driver;

import io.urma4j.spi.support.SpinLock;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * How many slots of a send queue are free again (S9.3): all up to the youngest polled record. Once records of the queue may
 * be polled out of order, because some go to other JFCs, or some slots are freed without one, each slot waits for its own
 * record, so that no user context is overwritten.
 */
final class SlotCount {
    private final int mask;
    private final LongPredicate hasEndedSilently;
    private final SpinLock lock = new SpinLock();
    private boolean[] done = {}; // by position, once each is counted; from the first that is not free
    private long known; // everything before has ended, as its records have told; guarded by the lock
    private volatile long freed;
    private volatile boolean isEach;

    /**
     * @param depth a power of two
     * @param hasEndedSilently whether an ended work request has no record, asked while its slot is occupied
     */
    SlotCount(int depth, LongPredicate hasEndedSilently) {
        this.mask = depth - 1;
        this.hasEndedSilently = hasEndedSilently;
    }

    /** Behind the youngest slot that is free together with all before it. */
    long freed() {
        return freed;
    }

    boolean areCountedEach() {
        return isEach;
    }

    /** From now on each slot waits for its own record. Only while no thread polls for records of the queue. */
    void countEach() {
        lock.acquire();
        if (!isEach) {
            done = new boolean[mask + 1];
            isEach = true;
        }
        lock.release();
    }

    /** A work request is posted. */
    void posted(long position) {
        if (isEach) {
            done[(int) position & mask] = false;
        }
    }

    /** The record of a position is polled. */
    void recordTaken(long position) {
        if (!isEach) {
            raise(position + 1);
            return;
        }
        lock.acquire();
        if (position >= freed) {
            done[(int) position & mask] = true;
            free(position);
        }
        lock.release();
    }

    /** A marker behind a position is polled: it belongs to no request, and all unsignalled requests before it have ended. */
    void markerTaken(long position) {
        if (!isEach) {
            raise(position + 1);
            return;
        }
        lock.acquire();
        free(position + 1);
        lock.release();
    }

    /** Up to the first slot that waits for its record, if all before {@code last} has ended. */
    private void free(long last) {
        known = Math.max(known, last);
        long end = freed;
        while (done[(int) end & mask] || (end < known && hasEndedSilently.test(end))) {
            done[(int) end++ & mask] = false;
        }
        raise(end);
    }

    /** All before {@code end} have ended; only the requests in {@code unpolled} have unpolled records. */
    void freeAllBut(Set<Long> unpolled, long end) {
        lock.acquire();
        for (long position = freed; position < end; position++) {
            done[(int) position & mask] |= !unpolled.contains(position);
        }
        free(freed);
        lock.release();
    }

    /** All before {@code end} are free, and none of them has an unpolled record. */
    void freeTo(long end) {
        lock.acquire();
        for (long position = freed; isEach && position < end; position++) {
            done[(int) position & mask] = false; // else it would count for the next request in that slot
        }
        raise(end);
        lock.release();
    }

    private void raise(long end) {
        if (end > freed) {
            freed = end;
        }
    }
}
