package io.urma4j.peer;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The copies in progress of one region, and the gate that lets no new one begin. Its lock is a leaf: no other is taken under
 * it. Safe for any thread.
 */
final class CopiesInFlight {
    /** How long an abort gets before it is repeated: a copy may have been admitted and started after the first one. */
    private static final long ABORT_AGAIN_NANOS = 1_000_000;

    private @Nullable CopyHold first; // all guarded by this
    private int count;
    private boolean open;

    /** Admits a copy, unless the gate is closed. */
    synchronized boolean begin(CopyHold hold, CopyStream stream) {
        if (!open) {
            return false;
        }
        if (hold.region != null) {
            throw new IllegalStateException("this copy is in progress");
        }
        hold.region = this;
        hold.stream = stream;
        hold.previous = null;
        hold.next = first;
        if (first != null) {
            first.previous = hold;
        }
        first = hold;
        count++;
        return true;
    }

    /** A copy that {@link #begin} admitted has ended. */
    synchronized void end(CopyHold hold) {
        CopyHold previous = hold.previous;
        CopyHold next = hold.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        hold.stream = null;
        hold.previous = null;
        hold.next = null;
        count--;
        if (count == 0) {
            notifyAll();
        }
    }

    synchronized void open() {
        open = true;
    }

    synchronized int count() {
        return count;
    }

    /** Closes the gate, and waits for the end of the copies in progress. Returns whether all have ended. */
    synchronized boolean fence(long timeoutNanos) {
        open = false;
        return isQuietWithin(timeoutNanos);
    }

    /**
     * Aborts the copies in progress behind the closed gate, and waits for their end: a copy that the device cannot abort would
     * land its bytes in memory of another owner. Returns whether all have ended.
     */
    boolean abort(long timeoutNanos) {
        long began = System.nanoTime();
        do {
            for (Running one : running()) {
                one.stream().abort(one.copy());
            }
            if (isQuietWithin(ABORT_AGAIN_NANOS)) {
                return true;
            }
        } while (System.nanoTime() - began < timeoutNanos);
        return false;
    }

    /** Waits for the end of the copies in progress. Returns whether all have ended. */
    synchronized boolean isQuietWithin(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        for (long left = timeoutNanos; count > 0 && left > 0; left = deadline - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true; // the memory is about to be freed: an interrupt must not shorten the wait
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return count == 0;
    }

    private synchronized Running[] running() {
        Running[] all = new Running[count];
        int i = 0;
        for (CopyHold hold = first; hold != null; hold = hold.next) {
            CopyStream stream = hold.stream;
            assert stream != null : "a copy in the list has no stream";
            all[i++] = new Running(hold.copy, stream);
        }
        return all;
    }

    /** A stream aborts under locks of its own, and so not under this one. */
    private record Running(Copy copy, CopyStream stream) {}
}
