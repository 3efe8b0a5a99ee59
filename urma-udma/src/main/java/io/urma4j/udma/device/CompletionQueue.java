package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CqStats;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;
import java.util.ArrayList;
import java.util.List;

/**
 * A completion queue: writes records into its ring, and notifies waiting threads.
 *
 * <p>A receiver reserves space for its record before it takes a message, so that no message is lost without space. A sender
 * keeps its result instead.
 */
final class CompletionQueue extends Deadlines.Timed {
    private static final int NOT_ARMED = 0;
    private static final int ARMED = 1;
    private static final int ARMED_SOLICITED = 2;

    /** A queue whose records go to a completion queue. */
    interface User {
        /** The completion queue has overflowed: it accepts no more records (S10.5). */
        void cqFailed();
    }

    /** How many completion queues of a card are armed. */
    static final class Armed {
        private int count;
        private volatile boolean isAny; // any thread reads it

        private void add(int more) {
            count += more;
            assert count >= 0 : count + " completion queues are armed";
            isAny = count > 0;
        }

        boolean isAny() {
            return isAny;
        }
    }

    private final int handle;
    private final NativeMemory ring;
    private final int depth;
    private final int moderationCount;
    private final long moderationNanos;
    private final Deadlines deadlines;
    private final CardListener listener;
    private final Armed armedQueues;
    private final List<User> users = new ArrayList<>();

    private long produced;
    private long promised; // places taken by messages that are arriving
    private long consumed; // as the driver said when it was asked last
    private boolean valid = true;
    private int armed = NOT_ARMED;
    private int seen; // records since it was armed
    private long overflows;

    CompletionQueue(
            int handle,
            NativeMemory ring,
            int depth,
            int moderationCount,
            long moderationNanos,
            Deadlines deadlines,
            CardListener listener,
            Armed armedQueues) {
        this.handle = handle;
        this.ring = ring;
        this.depth = depth;
        this.moderationCount = moderationCount;
        this.moderationNanos = moderationNanos;
        this.deadlines = deadlines;
        this.listener = listener;
        this.armedQueues = armedQueues;
    }

    boolean isValid() {
        return valid;
    }

    CqStats stats() {
        return new CqStats(produced, overflows);
    }

    /** The driver has removed records, and moved those behind them: the places from there on are free. */
    void moveEnd(long end) {
        assert end <= produced && end >= CqRing.consumed(ring) : end + " of " + produced;
        produced = end;
    }

    void add(User user) {
        if (!users.contains(user)) {
            users.add(user);
        }
    }

    void remove(User user) {
        users.remove(user);
    }

    // ---- places

    /** Whether a record finds space now. */
    boolean hasRoom() {
        long taken = produced + promised;
        if (taken - consumed < depth) {
            return true;
        }
        consumed = CqRing.consumed(ring);
        return taken - consumed < depth;
    }

    /** Reserves space for the record of an arriving message; without space the queue overflows. */
    boolean promise() {
        if (!valid || !hasRoom()) {
            overflow();
            return false;
        }
        promised++;
        return true;
    }

    /** The message does not complete: its space is free. */
    void takeBackPromise() {
        promised--;
    }

    /** A record found no space: this queue and its users are in ERROR from now on (S10.5). */
    void overflow() {
        overflows++;
        if (valid) {
            valid = false;
            for (User user : List.copyOf(users)) {
                user.cqFailed();
            }
            listener.cqOverflowed(handle); // last: the listener finds the queues in ERROR
        }
    }

    // ---- records

    /** The position of the next record: its optional fields are filled in before it is written. */
    long at() {
        return CqRing.at(produced, depth);
    }

    NativeMemory ring() {
        return ring;
    }

    /** Writes the record of a message, in the reserved space. */
    void putPromised(int word, int queue, int tag, long position, long lengthBytes, long immediate, long nowNanos) {
        promised--;
        put(word, queue, tag, position, lengthBytes, immediate, nowNanos);
    }

    /** Writes a record; there is space. */
    void put(int word, int queue, int tag, long position, long lengthBytes, long immediate, long nowNanos) {
        long at = at();
        Cqe.put(ring, at, queue, tag, position, lengthBytes, immediate);
        Cqe.publish(ring, at, word, CqRing.owner(produced, depth));
        produced++;
        if (armed != NOT_ARMED) {
            fireFor(word, nowNanos);
        }
        assert promised >= 0 && produced + promised - consumed <= depth
                : produced + " records and " + promised + " to come";
    }

    // ---- events

    void arm(boolean solicitedOnly) {
        seen = 0;
        deadlines.cancel(this);
        if (CqRing.consumed(ring) < produced) {
            armed(NOT_ARMED);
            listener.recordsArrived(handle);
        } else {
            armed(solicitedOnly ? ARMED_SOLICITED : ARMED);
        }
    }

    private void armed(int next) {
        if ((next == NOT_ARMED) != (armed == NOT_ARMED)) {
            armedQueues.add(next == NOT_ARMED ? -1 : 1);
        }
        armed = next;
    }

    private void fireFor(int word, long nowNanos) {
        boolean counts = armed == ARMED || Cqe.status(word) != 0 || (Cqe.flags(word) & Cqe.SOLICITED) != 0;
        if (!counts) {
            return;
        }
        if (++seen < moderationCount) {
            if (seen == 1) {
                deadlines.set(this, nowNanos + moderationNanos);
            }
            return;
        }
        fire();
    }

    private void fire() {
        armed(NOT_ARMED);
        deadlines.cancel(this);
        listener.recordsArrived(handle);
    }

    /** A record has waited for its event long enough, unless it was taken meanwhile. */
    @Override
    void due(long nowNanos) {
        seen = 0;
        if (armed != NOT_ARMED && CqRing.consumed(ring) < produced) {
            fire();
        }
    }

    void close() {
        armed(NOT_ARMED);
        deadlines.cancel(this);
    }
}
