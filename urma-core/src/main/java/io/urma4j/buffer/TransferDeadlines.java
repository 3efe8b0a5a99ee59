package io.urma4j.buffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The batches that have no result yet, and when the next of them times out. Batches are linked, so that a post makes no
 * garbage. Safe for any thread.
 *
 * <p>The earliest deadline is not moved when its batch ends: most batches end long before, so the rest is looked through about once
 * in each timeout.
 */
final class TransferDeadlines {
    private static final long NEVER_NANOS = Long.MAX_VALUE / 2;

    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable BatchOp first;
    private volatile long earliest; // or when to look next; not after the deadline of any batch

    TransferDeadlines(LongSupplier clock) {
        this.clock = clock;
        this.earliest = clock.getAsLong() + NEVER_NANOS;
    }

    /** Adds a batch, and returns whether its deadline is the earliest, so that a sleeping thread must be told. */
    boolean add(BatchOp batch, long timeoutNanos) {
        long deadline = clock.getAsLong() + timeoutNanos;
        lock.lock();
        try {
            batch.deadline = deadline;
            batch.later = first;
            batch.earlier = null;
            if (first != null) {
                first.earlier = batch;
            }
            first = batch;
            boolean isEarliest = deadline - earliest < 0;
            if (isEarliest) {
                earliest = deadline;
            }
            return isEarliest;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a batch that has ended. */
    void remove(BatchOp batch) {
        lock.lock();
        try {
            BatchOp earlier = batch.earlier;
            BatchOp later = batch.later;
            if (earlier != null) {
                earlier.later = later;
            } else if (first == batch) {
                first = later;
            }
            if (later != null) {
                later.earlier = earlier;
            }
            batch.earlier = null;
            batch.later = null;
        } finally {
            lock.unlock();
        }
    }

    /** How long a batch may take from now on; not more than 0 once it has timed out. */
    long nanosLeft(BatchOp batch) {
        return batch.deadline - clock.getAsLong();
    }

    /** How long nothing times out. */
    long nanosLeft() {
        return Math.max(0, earliest - clock.getAsLong());
    }

    /** Times out the batches whose deadline is over. */
    void expire() {
        long now = clock.getAsLong();
        if (now - earliest >= 0) {
            takeLate(now).forEach(BatchOp::timeOut);
        }
    }

    /** Those whose deadline is over, each kept from ending meanwhile; other threads may take the same. */
    private List<BatchOp> takeLate(long now) {
        List<BatchOp> late = new ArrayList<>();
        lock.lock();
        try {
            earliest = now + NEVER_NANOS;
            for (BatchOp batch = first; batch != null; batch = batch.later) {
                if (batch.hasResult()) {
                    continue; // timed out, and not over yet
                }
                if (now - batch.deadline >= 0) {
                    if (batch.retain()) {
                        late.add(batch);
                    }
                } else if (batch.deadline - earliest < 0) {
                    earliest = batch.deadline;
                }
            }
        } finally {
            lock.unlock();
        }
        return late;
    }
}
