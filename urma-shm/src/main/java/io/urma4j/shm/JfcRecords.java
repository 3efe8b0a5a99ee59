package io.urma4j.shm;

import io.urma4j.Counters;
import io.urma4j.JfcConfig;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.SegmentUser;
import io.urma4j.shm.ring.CompletionRing;
import io.urma4j.shm.ring.OwnedRing;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The records of a completion queue, for its producers and its polling thread.
 *
 * <p>Records come from two sides: from posts that finish in their own thread, and from progress (a message was answered, or
 * arrived), by the thread that drives it. A lock-free JFC has a ring for each, because its owner takes no lock to post or
 * to poll, and progress must not disturb it. The exceptions are a long copy, and the first call after the close of a queue,
 * which discards its records. Any other JFC has one ring, and producers take a short lock. {@link #take}
 * empties the owner's ring first: a queue posts into it only when all its earlier records have left the other one, so the
 * records of each queue stay in order.
 *
 * <p>The last word of a record identifies its queue ({@link RecordOwner}) and position.
 */
final class JfcRecords implements SegmentUser {
    private static final int NOT_ARMED = 0;
    private static final int ARMED = 1;
    private static final int ARMED_SOLICITED = 2;

    private final String name;
    private final int depth;
    private final Demand demand;
    private final Runnable onEvent;
    private final Runnable onOverflow;
    private final @Nullable OwnedRing owned; // of a lock-free JFC: for what its owner finishes in a post
    private final CompletionRing arrivals;
    private final SpinLock lock = new SpinLock();
    private final SpinLock pollClaim = new SpinLock();

    private final RecordOwners owners = new RecordOwners();
    private volatile boolean valid = true;
    private volatile boolean closed;
    private int armed = NOT_ARMED; // guarded by the lock
    private final @Nullable Moderation moderation;

    private long taken; // of the poller
    private long overflows; // guarded by the lock

    /**
     * Creates the records of a JFC.
     *
     * @param name of the JFC
     * @param onEvent fires the event that it was armed for
     * @param onOverflow called once, under the lock
     */
    JfcRecords(String name, JfcConfig config, Demand demand, Runnable onEvent, Runnable onOverflow) {
        this.name = name;
        this.depth = ceilingPowerOfTwo(config.depth());
        this.demand = demand;
        this.onEvent = onEvent;
        this.onOverflow = onOverflow;
        this.arrivals = new CompletionRing(depth);
        this.owned = config.lockFree() ? new OwnedRing(depth) : null;
        this.moderation = config.moderationCount() > 1
                ? new Moderation(
                        config.moderationCount(), config.moderationPeriod().toNanos())
                : null;
    }

    static int ceilingPowerOfTwo(int value) {
        return value <= 1 ? 1 : Integer.highestOneBit(value - 1) << 1;
    }

    int depth() {
        return depth;
    }

    /** Whether it has not overflowed. */
    boolean isValid() {
        return valid;
    }

    boolean isLockFree() {
        return owned != null;
    }

    /** Reserves an entry in the table of owners; records of the owner carry the index. */
    int attach(RecordOwner owner) {
        lock.acquire();
        try {
            return owners.add(owner);
        } finally {
            lock.release();
        }
    }

    /** The owner is closed: its unpolled records are discarded (S10.7). It writes no more of them. */
    void detach(int index) {
        lock.acquire();
        try {
            owners.close(index);
            if (owned == null) { // else the thread that polls discards them, since it takes no lock (S13.1)
                pollClaim.acquire();
                owners.purge(arrivals, null);
                pollClaim.release();
            }
        } finally {
            lock.release();
        }
    }

    /** The one thread of a lock-free JFC: discards the records of queues that were closed since. */
    private void purgeClosed() {
        if (owned != null && owners.haveClosed()) {
            lock.acquire();
            owners.purge(arrivals, owned);
            lock.release();
        }
    }

    /** Frees the slots of a queue before {@code end}; a separate method, so that polling one record stays small. */
    void free(SendSlots slots, long end) {
        pollClaim.acquire();
        slots.freeTo(end);
        pollClaim.release();
    }

    /** The last word of records of the owner with {@code index} for {@code position}. */
    static long provenance(int index, long position) {
        return (long) index << 32 | position & 0xFFFF_FFFFL;
    }

    /** The lock of producers of records; also of the send queues that complete here. */
    SpinLock lock() {
        return lock;
    }

    /** A post of a lock-free queue has finished: writes its record; false if there is no space. */
    boolean pushOwned(OwnedRing ring, long header, long userContext, long lengthBytes, long provenance) {
        if (!ring.push(header, userContext, lengthBytes, provenance)) {
            purgeClosed();
            if (!ring.push(header, userContext, lengthBytes, provenance)) {
                return overflowUnclaimed();
            }
        }
        if (armed != NOT_ARMED) { // the thread that posts is the one that arms
            fireOwned(header);
        }
        return true;
    }

    private void fireOwned(long header) {
        lock.acquire();
        boolean fire = takeArmed(header);
        lock.release();
        if (fire) {
            onEvent.run();
        }
    }

    /** The ring of a lock-free JFC for requests that its owner finishes in a post. */
    @Nullable
    OwnedRing owned() {
        return owned;
    }

    /** A work request of the send side is finished: writes its record; false if there is no space. Under the lock. */
    boolean push(long header, long userContext, long lengthBytes, long provenance) {
        if (!arrivals.hasRoom()) {
            return overflow();
        }
        arrivals.push(header, userContext, lengthBytes, provenance);
        fireIfArmed(header);
        return true;
    }

    /** A message has arrived: writes its record; false if there is no space. Takes the lock. */
    boolean pushReceive(
            long header,
            long userContext,
            long lengthBytes,
            long immediate,
            long remote,
            RemoteName sender,
            long provenance) {
        lock.acquire();
        try {
            if (!takesArrivals()) {
                return overflow();
            }
            pushArrival(header, userContext, lengthBytes, immediate, remote, sender, provenance);
            return true;
        } finally {
            lock.release();
        }
    }

    /** Whether the record of a message finds space. Under the lock. */
    boolean takesArrivals() {
        return valid && arrivals.hasRoom();
    }

    /** A message has arrived, for whose record there is space: writes it. Under the lock. */
    void pushArrival(
            long header,
            long userContext,
            long lengthBytes,
            long immediate,
            long remote,
            RemoteName sender,
            long provenance) {
        arrivals.push(
                header, userContext, lengthBytes, immediate, remote, sender.eidHigh(), sender.eidLow(), provenance);
        fireIfArmed(header);
    }

    /** Whether a record of the send side finds space. Under the lock. */
    boolean hasRoom() {
        return arrivals.hasRoom();
    }

    /** Whether a message that arrives now will probably find space for its record (S10.5). */
    boolean hasRoomForArrival() {
        return valid && (arrivals.hasRoom() || overflowUnclaimed());
    }

    private void fireIfArmed(long header) {
        if (armed != NOT_ARMED && takeArmed(header)) {
            onEvent.run();
        }
    }

    private boolean takeArmed(long header) {
        if (armed == NOT_ARMED
                || (armed == ARMED_SOLICITED
                        && CompletionRecord.status(header) == 0
                        && !CompletionRecord.has(header, CompletionRecord.SOLICITED))) {
            return false;
        }
        if (moderation != null && !moderation.isDue()) {
            if (moderation.hasJustBegun()) {
                demand.wakeEngine(); // to look at the time
            }
            return false;
        }
        setArmed(NOT_ARMED);
        return true;
    }

    /** Whether a marker of an owner is unpolled here. Under the lock. */
    boolean holdsMarker(int owner) {
        return arrivals.holds(owner, CompletionRecord.FLUSH_ERR_DONE | CompletionRecord.SUSPEND_DONE);
    }

    /** Whether any record of an owner is unpolled here. Under the lock. */
    boolean holdsRecord(int owner) {
        return arrivals.holds(owner) || (owned != null && owned.holds(owner));
    }

    boolean isModerated() {
        return moderation != null;
    }

    /** Fires the event when a record has waited for it long enough; returns the delay until one will have. */
    long moderate(long nowNanos) {
        lock.acquire();
        try {
            if (moderation == null || armed == NOT_ARMED) {
                return Long.MAX_VALUE;
            }
            long remaining = moderation.remainingNanos(nowNanos);
            if (remaining > 0) {
                return remaining;
            }
            moderation.reset();
            if (isEmpty()) {
                return Long.MAX_VALUE; // they were polled meanwhile
            }
            setArmed(NOT_ARMED);
        } finally {
            lock.release();
        }
        onEvent.run();
        return Long.MAX_VALUE;
    }

    private boolean isEmpty() {
        return arrivals.isEmpty() && (owned == null || owned.isEmpty());
    }

    private void setArmed(int next) {
        if ((armed == NOT_ARMED) != (next == NOT_ARMED)) {
            demand.armedJfcs.addAndGet(next == NOT_ARMED ? -1 : 1);
        }
        armed = next;
    }

    private boolean overflowUnclaimed() {
        lock.acquire();
        try {
            return overflow();
        } finally {
            lock.release();
        }
    }

    /** A record found no space: the JFC and its queues are in ERROR from now on (S10.5). Under the lock. */
    private boolean overflow() {
        overflows++;
        if (valid) {
            valid = false;
            owners.fail();
            onOverflow.run();
        }
        return false;
    }

    /** The polling thread: moves records into {@code words}; returns how many. */
    int take(long[] words, int maxRecords) {
        OwnedRing ring = owned;
        return ring == null ? pollShared(words, maxRecords) : pollOwned(ring, words, maxRecords);
    }

    private int pollOwned(OwnedRing ring, long[] words, int maxRecords) {
        purgeClosed();
        int count = Math.min(ring.size(), maxRecords);
        if (count > 0) {
            told(words, 0, count, ring.take(words, count));
        }
        return arrivals.isEmpty() || count == maxRecords ? count : count + drain(words, count, maxRecords);
    }

    private int pollShared(long[] words, int maxRecords) {
        if (arrivals.isEmpty()) {
            return 0;
        }
        pollClaim.acquire();
        try {
            return drain(words, 0, maxRecords);
        } finally {
            pollClaim.release();
        }
    }

    /** Moves arrivals into {@code words} from record {@code first} on. */
    private int drain(long[] words, int first, int maxRecords) {
        int count = Math.min(arrivals.available(), maxRecords - first);
        if (count > 0) {
            told(words, first, count, arrivals.take(words, first, count));
        }
        return count;
    }

    /**
     * Notifies the owners of records that these were polled; for consecutive records of one owner, the last one is enough.
     */
    private void told(long[] words, int first, int count, boolean oneOwner) {
        taken += count;
        int last = first + count - 1;
        if (!oneOwner) {
            for (int record = first; record < last; record++) {
                told(words, record);
            }
        }
        told(words, last);
    }

    private void told(long[] words, int record) {
        long provenance = words[record * CompletionRecord.WORDS + CompletionRecord.PROVIDER];
        owners.get((int) (provenance >>> 32)).recordTaken((int) provenance);
    }

    /** Arms the event; false if there are records, so that it fires at once. */
    boolean arm(boolean solicitedOnly) {
        purgeClosed();
        lock.acquire();
        boolean isReady;
        try {
            checkOpen();
            isReady = !isEmpty();
            if (moderation != null) {
                moderation.reset();
            }
            setArmed(isReady ? NOT_ARMED : solicitedOnly ? ARMED_SOLICITED : ARMED);
        } finally {
            lock.release();
        }
        if (isReady) {
            onEvent.run();
        }
        return !isReady;
    }

    /** A call that races with the close changes nothing (S4.2). Under the lock. */
    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
    }

    Counters counters() {
        lock.acquire();
        try {
            checkOpen();
            return Counters.builder()
                    .add("records", taken)
                    .add("unpolled", arrivals.available() + (owned == null ? 0 : owned.size()))
                    .add("overflows", overflows)
                    .build();
        } finally {
            lock.release();
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    void close() {
        lock.acquire();
        closed = true;
        setArmed(NOT_ARMED);
        lock.release();
    }

    /** Its JFC, in messages. */
    @Override
    public String toString() {
        return name;
    }
}
