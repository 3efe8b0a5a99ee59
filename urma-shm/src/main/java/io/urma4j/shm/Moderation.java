package io.urma4j.shm;

/**
 * Delays the event of an armed JFC until enough records have arrived, or the first of them has waited long enough (S10.8).
 * Guarded by the JFC's lock.
 */
final class Moderation {
    private final int count;
    private final long periodNanos;
    private int seen; // records since it was armed
    private long deadlineNanos; // of the first of them

    Moderation(int count, long periodNanos) {
        this.count = count;
        this.periodNanos = periodNanos;
    }

    /** The JFC is armed again, or its records have been polled. */
    void reset() {
        seen = 0;
    }

    /** One more record; whether the event is due. */
    boolean isDue() {
        if (++seen == 1) {
            deadlineNanos = System.nanoTime() + periodNanos;
        }
        return seen >= count;
    }

    /** Whether a first record waits: a thread must check the time from now on. */
    boolean hasJustBegun() {
        return seen == 1;
    }

    /** How long the oldest record may still wait; {@code Long.MAX_VALUE} if there is none. */
    long remainingNanos(long nowNanos) {
        return seen == 0 ? Long.MAX_VALUE : Math.max(0, deadlineNanos - nowNanos);
    }
}
