package io.urma4j.udma.device;

import io.urma4j.udma.transport.CopyState;

/** The copies into device memory that the result of a work request waits for, first in, first out. Used again and again. */
final class PendingCopies {
    private final CopyPort copies;
    private long[] pending = new long[16]; // a power of two
    private int head;
    private int count;
    private boolean hasFailed;

    PendingCopies(CopyPort copies) {
        this.copies = copies;
    }

    void add(long copy) {
        if (count == pending.length) {
            grow();
        }
        pending[head + count & pending.length - 1] = copy;
        count++;
    }

    private void grow() {
        long[] larger = new long[2 * count];
        for (int i = 0; i < count; i++) {
            larger[i] = pending[head + i & count - 1];
        }
        pending = larger;
        head = 0;
    }

    /** Whether no byte of them moves any more. Gives fragments back, as far as copies have ended. */
    boolean haveEnded() {
        while (count > 0) {
            CopyState state = copies.state(pending[head]);
            if (state == CopyState.RUNNING) {
                return false;
            }
            hasFailed |= state != CopyState.DONE;
            removeFirst();
        }
        return true;
    }

    private void removeFirst() {
        copies.release(takeFirst());
    }

    private long takeFirst() {
        long copy = pending[head];
        head = head + 1 & pending.length - 1;
        count--;
        return copy;
    }

    /** Another result waits for all of them, and this one for none. */
    void moveTo(PendingCopies other) {
        while (count > 0) {
            other.add(takeFirst());
        }
        hasFailed = false;
    }

    /** Whether one of those that have ended did not succeed. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** None is waited for any more. */
    void clear() {
        while (count > 0) {
            removeFirst();
        }
        hasFailed = false;
    }

    @Override
    public String toString() {
        return count + " copies in progress" + (hasFailed ? ", one has failed" : "");
    }
}
