package io.urma4j.buffer;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfs;
import io.urma4j.QueueState;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import io.urma4j.internal.Checks;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a context to one home, so that a home that is silent or refuses delays and fails no requests to others. Safe for
 * any thread.
 *
 * <p>Requests have numbers in the order of their posts, and records come in that order (S10.1). The last request of a post is
 * signalled; its record ends those before it. So each request ends once, whatever becomes of it, and its permit is free again: the
 * permits are not counted, they are the difference of two numbers.
 *
 * <p>After a failure the queue is in ERROR. All its requests end, by a record or by {@code flush}; then the queue goes through
 * RESET to READY, and posts what waits.
 *
 * <p>The lock is held while requests are posted and records are taken. Parts of batches that are over are collected meanwhile,
 * and handed to the caller afterwards, because the end of a batch runs code of its user.
 */
final class TransferQueue {
    private static final System.Logger LOG = System.getLogger(TransferQueue.class.getName());
    private static final int RECORDS = 32; // taken at a time

    private final UrmaContext context;
    private final TransferCounters counters;
    private final Jfc jfc;
    private final Jfs jfs;
    private final boolean hasEvents;
    private final Runnable afterRecovery;
    private final int maxUnfinished;
    private final WorkRequestList list;
    private final CompletionBatch records = new CompletionBatch(RECORDS);
    private final ReentrantLock lock = new ReentrantLock();

    // under the lock
    private final ArrayDeque<BatchPart> waiting = new ArrayDeque<>(); // the first of which is perhaps posted in part
    private final @Nullable BatchPart[] unfinished; // by number; null for a NOP
    private final int mask;
    private long posted; // numbers so far
    private long ended;
    private @Nullable BatchPart over; // the list of those that are over
    private boolean armed;
    private boolean drained; // in ERROR, and all that it had started has ended

    private volatile boolean recovered; // and the owner was not told yet
    private volatile boolean idle = true; // nothing is unfinished, and nothing waits
    private volatile boolean closed; // also because it cannot become READY again

    int segments; // that are imported from its home; under the lock of the OpenHomes

    private TransferQueue(
            UrmaContext context,
            TransferOptions options,
            TransferCounters counters,
            Jfc jfc,
            Jfs jfs,
            Runnable afterRecovery) {
        this.context = context;
        this.counters = counters;
        this.jfc = jfc;
        this.jfs = jfs;
        this.hasEvents = jfc.jfce().isPresent();
        this.afterRecovery = afterRecovery;
        this.maxUnfinished = options.maxUnfinished();
        this.list = new WorkRequestList(options.perPost(), sges(context, options));
        int places = Integer.highestOneBit(2 * options.maxUnfinished() + 1); // one more at least, for a NOP
        this.unfinished = new BatchPart[places];
        this.mask = places - 1;
    }

    /** Local ranges of a request. */
    static int sges(UrmaContext context, TransferOptions options) {
        return Math.min(
                options.maxSges(), context.device().attributes().limits().sges());
    }

    /**
     * @param jfce for its events; null if threads poll it
     * @param afterRecovery runs without locks after the queue has failed and is READY again
     */
    static TransferQueue open(
            UrmaContext context,
            TransferOptions options,
            TransferCounters counters,
            @Nullable Jfce jfce,
            Runnable afterRecovery) {
        int depth = Integer.highestOneBit(2 * options.maxUnfinished() + 1);
        Jfc jfc = context.createJfc(new JfcConfig(2 * depth, true), jfce);
        try {
            Jfs jfs = context.createJfs(jfc, options.queueConfig(sges(context, options)));
            return new TransferQueue(context, options, counters, jfc, jfs, afterRecovery);
        } catch (UrmaException e) {
            jfc.close();
            throw e;
        }
    }

    Jfc jfc() {
        return jfc;
    }

    /** Whether it cannot be used any more; then the next import of its home makes another. */
    boolean isClosed() {
        return closed;
    }

    // ---- calls

    /** Posts a part of a batch, or lets it wait; returns how many batches have ended. */
    int submit(BatchPart part) {
        BatchPart first;
        lock.lock();
        try {
            if (closed) {
                part.batch().fail(Checks.closed(this));
            }
            if (part.batch().isStopped()) {
                addOver(part);
            } else {
                waiting.addLast(part);
                postWaiting();
                takeRecords(); // with shared memory, those of this post are there
            }
            first = takeOver();
        } finally {
            lock.unlock();
        }
        return endParts(first);
    }

    /** Takes records and posts what waits; returns how many batches have ended. */
    int poll() {
        if (idle) {
            return 0;
        }
        BatchPart first;
        lock.lock();
        try {
            takeRecords();
            first = takeOver();
        } finally {
            lock.unlock();
        }
        return endParts(first);
    }

    /** {@link #poll}, after the event that {@link #arm} has asked for. */
    void pollAfterEvent() {
        BatchPart first;
        lock.lock();
        try {
            armed = false;
            takeRecords();
            first = takeOver();
        } finally {
            lock.unlock();
        }
        endParts(first);
    }

    /** Posts no more of a batch that has timed out. */
    void drop(BatchPart part) {
        BatchPart first;
        lock.lock();
        try {
            if (waiting.remove(part)) {
                addIfOver(part);
                postWaiting(); // what waited behind it
            }
            first = takeOver();
        } finally {
            lock.unlock();
        }
        endParts(first);
    }

    /** Discards all requests: their batches end with that failure, if they have no earlier one. */
    void close(UrmaException failure) {
        BatchPart first;
        lock.lock();
        try {
            if (!closed) {
                endAll(failure);
            }
            first = takeOver();
        } finally {
            lock.unlock();
        }
        endParts(first);
    }

    /** Requests that are posted and have not ended. */
    long unfinished() {
        lock.lock();
        try {
            return posted - ended;
        } finally {
            lock.unlock();
        }
    }

    /** Parts of batches that wait. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    // ---- posts, under the lock

    private void postWaiting() {
        while (true) {
            BatchPart part = waiting.peekFirst();
            if (part == null) {
                return;
            }
            if (part.batch().isStopped() || part.unposted() == 0) {
                waiting.removeFirst();
                addIfOver(part);
                continue;
            }
            int count = Math.min(list.capacity(), part.unposted());
            if (count > maxUnfinished - (posted - ended) || jfs.state() != QueueState.READY) {
                return;
            }
            post(part, count);
        }
    }

    private void post(BatchPart part, int count) {
        list.clear();
        part.addTo(list, count, posted);
        int accepted = 0;
        try {
            accepted = jfs.post(list);
        } catch (UrmaException e) {
            part.batch().fail(e);
        }
        for (int i = 0; i < accepted; i++) {
            unfinished[(int) posted++ & mask] = part;
        }
        part.posted(accepted);
        if (accepted < count) {
            part.batch().fail(list.refusal().orElseGet(() -> new UrmaException(UrmaStatus.EAGAIN, this, "is full")));
            closePost(accepted);
        }
    }

    /** A NOP behind those that were accepted makes their record; the refused one would have made it. */
    private void closePost(int accepted) {
        if (accepted == 0) {
            return;
        }
        try {
            list.clear().nop(posted);
            if (jfs.post(list) == 1) {
                unfinished[(int) posted++ & mask] = null;
            } else {
                jfs.modify(QueueState.ERROR); // so all that it had started makes records
            }
        } catch (UrmaException e) {
            broken(e);
        }
    }

    // ---- records, under the lock

    private void takeRecords() {
        int count;
        do {
            if (closed) {
                return; // also if it broke just now
            }
            count = jfc.poll(records);
            for (int i = 0; i < count; i++) {
                take(i);
            }
            if (drained) {
                recover();
            }
            postWaiting();
        } while (count > 0); // what it posted may have ended at once
        idle = posted == ended && waiting.isEmpty();
        if (!idle) {
            arm();
        }
    }

    private void take(int record) {
        CompletionStatus status = records.status(record);
        if (!status.isMarker()) {
            end(records.userContext(record), status);
        }
        drained |= records.isFlushErrDone(record);
    }

    /** The request with that number has ended, and so have those before it. */
    private void end(long number, CompletionStatus status) {
        while (ended < number) {
            endNext(CompletionStatus.SUCCESS); // silently
        }
        assert ended == number : "record " + number + " after " + ended;
        endNext(status);
    }

    private void endNext(CompletionStatus status) {
        int place = (int) ended++ & mask;
        BatchPart part = unfinished[place];
        unfinished[place] = null;
        if (part != null) {
            part.ended(status);
            if (part.isOver()) {
                if (part.unposted() > 0) {
                    waiting.remove(part);
                }
                addOver(part);
            }
        }
    }

    /** All that it had started has ended; the rest never started. From now on it accepts requests again. */
    private void recover() {
        drained = false;
        try {
            for (int count = jfs.flush(records); count > 0; count = jfs.flush(records)) {
                for (int i = 0; i < count; i++) {
                    end(records.userContext(i), records.status(i));
                }
            }
            while (ended < posted) {
                endNext(CompletionStatus.SUCCESS); // which alone makes no record
            }
            jfs.modify(QueueState.RESET);
            jfs.modify(QueueState.READY);
            counters.recoveries.increment();
            recovered = true;
        } catch (UrmaException e) {
            broken(e);
        }
    }

    /** It cannot become READY again, because its context is being closed. Its requests end with it. */
    private void broken(UrmaException failure) {
        LOG.log(Level.DEBUG, this + " cannot be used any more", failure);
        endAll(failure);
    }

    private void endAll(UrmaException failure) {
        closed = true;
        jfs.close();
        jfc.close();
        while (ended < posted) {
            BatchPart part = unfinished[(int) ended & mask];
            if (part != null) {
                part.batch().fail(failure);
            }
            endNext(CompletionStatus.WR_FLUSH_ERR);
        }
        while (!waiting.isEmpty()) {
            BatchPart part = waiting.removeFirst();
            part.batch().fail(failure);
            addIfOver(part);
        }
    }

    /** Asks for an event: records are going to come, which a sleeping thread must take. */
    private void arm() {
        if (hasEvents && !armed && !closed) {
            armed = true;
            jfc.rearm(false);
        }
    }

    private void addIfOver(BatchPart part) {
        if (part.isOver()) {
            addOver(part);
        }
    }

    private void addOver(BatchPart part) {
        part.nextOver = over;
        over = part;
    }

    private @Nullable BatchPart takeOver() {
        BatchPart first = over;
        over = null;
        return first;
    }

    // ---- without the lock

    /** Ends parts that are over; returns how many batches have ended with them. */
    private int endParts(@Nullable BatchPart first) {
        if (recovered) {
            recovered = false;
            afterRecovery.run();
        }
        BatchPart part = first;
        int batches = 0;
        while (part != null) {
            BatchPart next = part.nextOver;
            part.nextOver = null;
            if (part.batch().endPart(part)) {
                batches++;
            }
            part = next;
        }
        return batches;
    }

    @Override
    public String toString() {
        return "transfer queue on " + jfs + " of " + context;
    }
}
