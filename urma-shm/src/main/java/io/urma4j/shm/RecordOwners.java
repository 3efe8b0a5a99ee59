package io.urma4j.shm;

import io.urma4j.shm.ring.CompletionRing;
import io.urma4j.shm.ring.OwnedRing;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The queues whose records go to a JFC, by the numbers that their records carry. A number is used again once its queue is closed and
 * the JFC holds no record of it. Guarded by the lock of the JFC, except where a method says otherwise.
 */
final class RecordOwners {
    /** Replaces a closed owner, so that it can be collected. */
    private static final RecordOwner CLOSED = () -> {};

    // grows by doubling: there may be thousands; volatile: a polling thread sees a new array with its elements
    private volatile RecordOwner[] owners = new RecordOwner[8];
    private int count;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final ArrayDeque<Integer> closed = new ArrayDeque<>(); // of which there may be records
    private volatile boolean haveClosed;

    /** Adds an owner; returns its number. */
    int add(RecordOwner owner) {
        int index = free.isEmpty() ? count++ : free.removeFirst();
        RecordOwner[] known = owners;
        RecordOwner[] room = index == known.length ? Arrays.copyOf(known, 2 * index) : known;
        room[index] = owner;
        owners = room;
        return index;
    }

    /** The owner with that number. For the thread that polls a record of it. */
    RecordOwner get(int index) {
        return owners[index];
    }

    /** The owner is closed: it is notified of nothing any more, and its records are to be purged. */
    void close(int index) {
        owners[index] = CLOSED;
        closed.addLast(index);
        haveClosed = true;
    }

    /** Whether there may be records of closed owners. Any thread. */
    boolean haveClosed() {
        return haveClosed;
    }

    /** Removes the records of closed owners from the rings, which no thread polls meanwhile. */
    void purge(CompletionRing arrivals, @Nullable OwnedRing owned) {
        haveClosed = false;
        for (Integer index = closed.pollFirst(); index != null; index = closed.pollFirst()) {
            arrivals.purge(index);
            if (owned != null) {
                owned.purge(index);
            }
            free.addLast(index);
        }
    }

    /** Notifies all that the JFC has overflowed. */
    void fail() {
        for (int i = 0; i < count; i++) {
            owners[i].jfcFailed();
        }
    }
}
