package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.Counters;
import io.urma4j.JfcConfig;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.support.IntTable;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CqStats;
import io.urma4j.udma.driver.UdmaReceiveQueue.Receives;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue: takes elements out of the card's ring, and lets their queues translate them into records.
 *
 * <p>A thread that finds none drives the card if its lock is free, and checks again.
 */
final class UdmaJfc implements ProviderJfc, Adapter.CqWatcher {
    /** Polls that find records still drive the card now and then, or arrivals would wait as long as there are any. */
    private static final int TURN_EVERY = 16;

    private final Queues queues;
    private final LocalContext local;
    private final int id;
    private final int depth;
    private final boolean locked;
    private final NativeMemory ring;
    private final IntTable<RecordOwner> owners;
    private final Runnable onEvent;
    private final EventLoop eventLoop;
    private final SpinLock lock = new SpinLock();
    private final Map<Integer, Leaving> leaving = new ConcurrentHashMap<>(); // by tag; in a lock-free JFC alone
    private final int cq;

    private long consumed; // of the poller
    private long taken; // of the poller
    private long polls; // of the poller
    private int lastTag; // of the poller
    private @Nullable RecordOwner lastOwner; // of the poller
    private volatile boolean hasClosed; // a queue, since the last poll: it may be the last owner
    private volatile boolean valid = true;
    private boolean closed; // guarded by the card's lock

    /**
     * The receiver of a closed queue with unpolled records.
     *
     * @param next no record before this position is left
     * @param last the position of the last one
     */
    private record Leaving(Receives receives, long next, long last) {}

    UdmaJfc(Queues queues, int id, JfcConfig config, Runnable onEvent) {
        this.queues = queues;
        this.local = queues.local();
        this.id = id;
        this.depth = Rings.ceilingPowerOfTwo(config.depth());
        this.locked = !config.lockFree();
        this.ring = Rings.allocate(this, CqRing.bytes(depth));
        this.owners = queues.owners();
        this.onEvent = onEvent;
        this.eventLoop = local.eventLoop();
        long periodNanos = config.moderationPeriod().toNanos();
        this.cq = eventLoop.call(card -> card.createCq(ring, depth, config.moderationCount(), periodNanos));
        local.adapter().watchCq(cq, this);
    }

    /** The card's handle. */
    int cq() {
        return cq;
    }

    @Override
    public void recordsArrived() {
        onEvent.run();
    }

    @Override
    public void overflowed() {
        valid = false;
        local.raise(AsyncEvent.Type.JFC_ERR, this, "overflow: all " + depth + " records of its depth are in use");
    }

    // ---- polling

    @Override
    public int poll(long[] words, int maxRecords) {
        if (!isEmpty()) {
            if (eventLoop.isAwaited() || (++polls & (TURN_EVERY - 1)) == 0) {
                eventLoop.tryTurn(); // before records are taken: should it throw, none is lost (S10.4)
            }
            int count = drain(words, maxRecords);
            if (count > 0) {
                return count;
            }
        }
        return eventLoop.tryTurn() && !isEmpty() ? drain(words, maxRecords) : 0;
    }

    private boolean isEmpty() {
        long position = consumed;
        return Cqe.owner(Cqe.word(ring, CqRing.at(position, depth))) != CqRing.owner(position, depth);
    }

    private int drain(long[] words, int maxRecords) {
        if (!locked) {
            return drainClaimed(words, maxRecords);
        }
        lock.acquire();
        try {
            return drainClaimed(words, maxRecords);
        } finally {
            lock.release();
        }
    }

    private int drainClaimed(long[] words, int maxRecords) {
        if (hasClosed) {
            hasClosed = false; // first: the next poll sees a queue that closes now
            lastOwner = null;
        }
        int count = 0;
        long first = consumed;
        long position = first;
        RuntimeException bad = null;
        while (count < maxRecords && bad == null) {
            long at = CqRing.at(position, depth);
            int word = Cqe.word(ring, at);
            if (Cqe.owner(word) != CqRing.owner(position, depth)) {
                break;
            }
            RecordOwner owner = owner(Cqe.tag(ring, at));
            if (owner == null) { // its queue is closed, and its records are gone (S10.7)
                pass(position, at);
            } else {
                try {
                    owner.record(words, count * CompletionRecord.WORDS, ring, at, word);
                    count++;
                } catch (RuntimeException e) {
                    bad = e;
                }
            }
            position++;
        }
        if (bad != null && count > 0) {
            position--; // those before it first; the next poll meets it again, and passes it (S10.4)
        }
        if (position != first) {
            consumed = position;
            taken += count;
            CqRing.consumed(ring, position);
        }
        if (bad != null && count == 0) {
            throw bad;
        }
        return count;
    }

    private @Nullable RecordOwner owner(int tag) {
        if (tag != lastTag || lastOwner == null) {
            lastTag = tag;
            lastOwner = owners.get(tag);
        }
        return lastOwner;
    }

    /** Releases what the work request of a closed queue still occupies. */
    private void pass(long position, long at) {
        if (!leaving.isEmpty()) { // of a lock-free JFC, whose poller does not hold the lock
            betweenPolls(() -> release(position, at));
        }
    }

    /** The same once, though the JFC may close meanwhile. Under the lock. */
    private void release(long position, long at) {
        int tag = Cqe.tag(ring, at);
        Leaving gone = leaving.get(tag);
        if (gone == null || position < gone.next) {
            return;
        }
        gone.receives.removed(ring, at);
        if (position < gone.last) {
            leaving.put(tag, new Leaving(gone.receives, position + 1, gone.last));
        } else {
            leaving.remove(tag);
        }
    }

    /** The JFC closes: no poll passes the records that are left. */
    private void releaseLeft(long end) {
        for (long position = CqRing.consumed(ring); position < end && !leaving.isEmpty(); position++) {
            release(position, CqRing.at(position, depth));
        }
    }

    /**
     * Removes the unpolled records of a closed queue, whose places are free then (S10.7). Those of a lock-free JFC keep theirs, and
     * their receives, until its only thread has passed them. By the holder of the card's lock, and the card has no such queue any
     * more.
     */
    void remove(CardCommands card, int tag, RecordOwner owner) {
        if (locked && !closed) {
            betweenPolls(() -> card.moveEnd(cq, removeAll(tag, owner)));
        } else if (!closed && owner instanceof Receives receives) { // what send queues occupy is released with them
            betweenPolls(() -> leave(tag, receives, card.cqStats(cq).end()));
        }
    }

    /** The polling thread finds the receiver until it has passed its last record. Those that it has passed by now are dropped. */
    private void leave(int tag, Receives receives, long end) {
        long first = CqRing.consumed(ring);
        leaving.values().removeIf(gone -> gone.last < first);
        long last = end - 1;
        while (last >= first && Cqe.tag(ring, CqRing.at(last, depth)) != tag) {
            last--;
        }
        if (last >= first) {
            leaving.put(tag, new Leaving(receives, first, last));
        }
    }

    /** Moves the other records together; returns their end. */
    private long removeAll(int tag, RecordOwner owner) {
        long end = consumed;
        long position = consumed;
        for (; position - consumed < depth; position++) {
            long at = CqRing.at(position, depth);
            if (Cqe.owner(Cqe.word(ring, at)) != CqRing.owner(position, depth)) {
                break;
            }
            if (Cqe.tag(ring, at) == tag) {
                owner.removed(ring, at);
            } else {
                if (end < position) {
                    Cqe.move(ring, at, CqRing.at(end, depth), CqRing.owner(end, depth));
                }
                end++;
            }
        }
        for (long free = end; free < position; free++) {
            Cqe.clear(ring, CqRing.at(free, depth), CqRing.owner(free, depth));
        }
        return end;
    }

    /** A queue is closed: no poll that begins once this has returned finds its records. */
    void forgetClosed() {
        betweenPolls(() -> hasClosed = true);
    }

    /** Whether a marker of a queue is unpolled here. By the holder of the card's lock, so that none is added. */
    boolean holdsMarker(int tag) {
        boolean[] found = {false};
        eachUnpolled(at -> found[0] |= isMarker(at) && Cqe.tag(ring, at) == tag);
        return found[0];
    }

    /**
     * Adds the positions of a queue's unpolled records here, without markers. By the holder of the card's lock, so that
     * none is added.
     */
    void gatherUnpolled(int tag, Set<Long> positions) {
        eachUnpolled(at -> {
            if (!isMarker(at) && Cqe.tag(ring, at) == tag) {
                positions.add(Cqe.position(ring, at));
            }
        });
    }

    private boolean isMarker(long at) {
        return (Cqe.flags(Cqe.word(ring, at)) & (Cqe.FLUSH_ERR_DONE | Cqe.SUSPEND_DONE)) != 0;
    }

    /** Releases what work requests with unpolled records here held: they have ended. */
    void settle() {
        eachUnpolled(at -> {
            RecordOwner owner = owners.get(Cqe.tag(ring, at));
            if (owner != null) {
                owner.ended(ring, at, Cqe.word(ring, at));
            }
        });
    }

    /** Runs {@code look} with the place of each unpolled element. */
    private void eachUnpolled(LongConsumer look) {
        betweenPolls(() -> {
            long position = consumed;
            for (int i = 0; i < depth; i++, position++) {
                long at = CqRing.at(position, depth);
                if (Cqe.owner(Cqe.word(ring, at)) != CqRing.owner(position, depth)) {
                    return;
                }
                look.accept(at);
            }
        });
    }

    /** Runs an action while no thread takes records. */
    void betweenPolls(Runnable something) {
        lock.acquire();
        try {
            something.run();
        } finally {
            lock.release();
        }
    }

    // ---- the rest

    @Override
    public void rearm(boolean solicitedOnly) {
        eventLoop.run(card -> {
            checkOpen();
            card.arm(cq, solicitedOnly);
        });
        eventLoop.attend();
    }

    /** A call that races with {@link #close} must not reach the next queue with the same handle (S4.2). Under the lock. */
    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public Counters counters() {
        return eventLoop.call(card -> {
            checkOpen();
            CqStats stats = card.cqStats(cq);
            return Counters.builder()
                    .add("records", taken)
                    .add("unpolled", stats.end() - CqRing.consumed(ring))
                    .add("overflows", stats.overflows())
                    .build();
        });
    }

    @Override
    public void close() {
        local.adapter().unwatchCq(cq);
        eventLoop.run(card -> {
            closed = true;
            betweenPolls(() -> releaseLeft(card.cqStats(cq).end()));
            card.destroyCq(cq);
        });
        queues.forget(this);
    }

    @Override
    public String toString() {
        return "JFC " + local.uasid() + "/" + id;
    }
}
