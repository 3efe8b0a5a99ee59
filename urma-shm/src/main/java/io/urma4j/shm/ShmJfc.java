package io.urma4j.shm;

import io.urma4j.AsyncEvent;
import io.urma4j.Counters;
import io.urma4j.JfcConfig;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.ring.CompletionRing;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.support.Claim;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue.
 *
 * <p>Records come from two sides. What a post finished in its own thread, and what progress finished (a message was
 * taken, or arrived), by whichever thread drove it. A lock-free JFC keeps a ring for each, because its owner takes no
 * lock to post or to poll, and progress must not disturb it; any other JFC has one ring, and producers take a short
 * claim. {@link #poll} empties the owner's ring first: a queue posts into it only when all its earlier records have left
 * the other one, so the records of each queue stay in order.
 *
 * <p>The last word of a record says which queue made it ({@link RecordOwner}) and for which position.
 */
final class ShmJfc implements ProviderJfc {
    /** Polls that find records still drive progress now and then, or arrivals would wait as long as posts succeed. */
    private static final int PROGRESS_EVERY = 64;

    private static final int NOT_ARMED = 0;
    private static final int ARMED = 1;
    private static final int ARMED_SOLICITED = 2;

    private final ShmContext context;
    private final int id;
    private final int depth;
    private final Runnable onEvent;
    private final @Nullable CompletionRing owned; // of a lock-free JFC: for what its owner finishes in a post
    private final CompletionRing arrivals;
    private final Claim arrivalsClaim = new Claim();
    private final Claim pollClaim = new Claim();

    private volatile @Nullable RecordOwner[] owners = new RecordOwner[0];
    private volatile boolean valid = true;
    private volatile boolean closed;
    private int armed = NOT_ARMED; // guarded by arrivalsClaim

    private long polls; // of the poller
    private long taken; // of the poller
    private long overflows; // guarded by arrivalsClaim

    ShmJfc(ShmContext context, int id, JfcConfig config, Runnable onEvent) {
        this.context = context;
        this.id = id;
        this.depth = ceilingPowerOfTwo(config.depth());
        this.onEvent = onEvent;
        this.arrivals = new CompletionRing(depth);
        this.owned = config.lockFree() ? new CompletionRing(depth) : null;
    }

    static int ceilingPowerOfTwo(int value) {
        return value <= 1 ? 1 : Integer.highestOneBit(value - 1) << 1;
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

    boolean isLockFree() {
        return owned != null;
    }

    /** Makes room in the table of owners; records of the owner carry the index. */
    int attach(RecordOwner owner) {
        synchronized (arrivalsClaim) {
            int index = owners.length;
            @Nullable RecordOwner[] more = Arrays.copyOf(owners, index + 1);
            more[index] = owner;
            owners = more;
            return index;
        }
    }

    /** Records of this owner that were not polled disappear (S10.7). */
    void detach(int index) {
        synchronized (arrivalsClaim) {
            @Nullable RecordOwner[] fewer = owners.clone();
            fewer[index] = null;
            owners = fewer;
        }
    }

    /** The last word of records that the owner with {@code index} makes for {@code position}. */
    static long provenance(int index, long position) {
        return (long) index << 32 | position & 0xFFFF_FFFFL;
    }

    /** A post has finished in its own thread: makes its record; false when there is no room. */
    boolean pushOwned(long header, long userContext, long lengthBytes, long provenance) {
        CompletionRing ring = owned;
        if (ring == null) {
            return push(header, userContext, lengthBytes, provenance);
        }
        if (!ring.hasRoom()) {
            return overflow();
        }
        ring.push(header, userContext, lengthBytes, provenance);
        if (armed != NOT_ARMED) { // in a lock-free JFC the thread that posts is the one that arms
            fireOwned(header);
        }
        return true;
    }

    private void fireOwned(long header) {
        arrivalsClaim.acquire();
        boolean fire = takeArmed(header);
        arrivalsClaim.release();
        if (fire) {
            onEvent.run();
        }
    }

    /** Progress has finished a work request of the send side: makes its record; false when there is no room. */
    boolean push(long header, long userContext, long lengthBytes, long provenance) {
        arrivalsClaim.acquire();
        boolean room = arrivals.hasRoom();
        boolean fire = false;
        if (room) {
            arrivals.push(header, userContext, lengthBytes, provenance);
            fire = armed != NOT_ARMED && takeArmed(header);
        }
        arrivalsClaim.release();
        if (fire) {
            onEvent.run();
        }
        return room || overflow();
    }

    /** A message has arrived: makes its record; false when there is no room. */
    boolean pushReceive(
            long header,
            long userContext,
            long lengthBytes,
            long immediate,
            long remote,
            MessagePath path,
            long provenance) {
        arrivalsClaim.acquire();
        boolean room = arrivals.hasRoom();
        boolean fire = false;
        if (room) {
            arrivals.push(
                    header, userContext, lengthBytes, immediate, remote, path.eidHigh(), path.eidLow(), provenance);
            fire = armed != NOT_ARMED && takeArmed(header);
        }
        arrivalsClaim.release();
        if (fire) {
            onEvent.run();
        }
        return room || overflow();
    }

    /** Whether a message that arrives now will find a place for its record (S10.5). */
    boolean hasRoomForArrival() {
        arrivalsClaim.acquire();
        boolean room = arrivals.hasRoom();
        arrivalsClaim.release();
        return room || overflow();
    }

    private boolean takeArmed(long header) {
        if (armed == NOT_ARMED
                || (armed == ARMED_SOLICITED
                        && CompletionRecord.status(header) == 0
                        && !CompletionRecord.has(header, CompletionRecord.SOLICITED))) {
            return false;
        }
        armed = NOT_ARMED;
        return true;
    }

    /** There was no place for a record: the JFC is in ERROR from now on (S10.5). */
    private boolean overflow() {
        arrivalsClaim.acquire();
        overflows++;
        boolean first = valid;
        valid = false;
        arrivalsClaim.release();
        if (first) {
            context.raise(
                    AsyncEvent.Type.JFC_ERR, toString(), "no room for a record: its depth of " + depth + " is used up");
        }
        return false;
    }

    @Override
    public int poll(long[] words, int maxRecords) {
        int count = take(words, maxRecords);
        if (count == 0) {
            context.progress();
            return take(words, maxRecords);
        }
        if ((++polls & (PROGRESS_EVERY - 1)) == 0) {
            context.progress();
        }
        return count;
    }

    private int take(long[] words, int maxRecords) {
        CompletionRing ring = owned;
        if (ring == null) {
            return arrivals.isEmpty() ? 0 : takeLocked(words, maxRecords);
        }
        int count = ring.isEmpty() ? 0 : drain(ring, words, 0, maxRecords);
        if (count < maxRecords && !arrivals.isEmpty()) {
            count += drain(arrivals, words, count, maxRecords);
        }
        return count;
    }

    private int takeLocked(long[] words, int maxRecords) {
        pollClaim.acquire();
        try {
            return drain(arrivals, words, 0, maxRecords);
        } finally {
            pollClaim.release();
        }
    }

    /** Moves records into {@code words} from record {@code first} on; those of closed queues are dropped. */
    private int drain(CompletionRing ring, long[] words, int first, int maxRecords) {
        @Nullable RecordOwner[] table = owners;
        int available = ring.available();
        int record = first;
        int seen = 0;
        while (seen < available && record < maxRecords) {
            long provenance = ring.provider(seen);
            RecordOwner owner = table[(int) (provenance >>> 32)];
            if (owner != null) {
                ring.copyTo(seen, words, record++);
                owner.recordTaken(provenance & 0xFFFF_FFFFL);
            }
            seen++;
        }
        ring.advance(seen);
        taken += record - first;
        return record - first;
    }

    @Override
    public void rearm(boolean solicitedOnly) {
        arrivalsClaim.acquire();
        boolean fire = !arrivals.isEmpty() || (owned != null && !owned.isEmpty());
        armed = fire ? NOT_ARMED : solicitedOnly ? ARMED_SOLICITED : ARMED;
        arrivalsClaim.release();
        if (fire) {
            onEvent.run();
        } else {
            context.wakeOnArrival();
        }
    }

    void checkUsable() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
    }

    @Override
    public Counters counters() {
        return Counters.builder()
                .add("records", taken)
                .add("unpolled", arrivals.available() + (owned == null ? 0 : owned.available()))
                .add("overflows", overflows)
                .build();
    }

    @Override
    public void close() {
        closed = true;
        context.forget(this);
    }

    @Override
    public String toString() {
        return "JFC " + context.uasid() + "/" + id;
    }
}
