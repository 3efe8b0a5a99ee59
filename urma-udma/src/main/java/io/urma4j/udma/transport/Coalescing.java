package io.urma4j.udma.transport;

/**
 * Small requests that wait for company: a system call takes many packets as well as one, and costs more than making a few
 * dozen of them. They wait only while so many are under way that the peer is busy with those, for a few microseconds at
 * most, and only if the caller comes back ({@link FlushHint}).
 */
final class Coalescing {
    /** With fewer packets under way nothing waits. */
    static final int LEAST_IN_FLIGHT = 16;

    /** So many need no further company. */
    static final int TRAIN_MESSAGES = 32;

    /** Longer ones need none at all. */
    static final int MAX_BYTES = 512;

    static final long MAX_NANOS = 8_000;

    private static final long NEVER = Long.MIN_VALUE;

    private long sinceNanos = NEVER;

    /** Whether the message at the cursor may wait once more. */
    boolean waits(boolean callerComesBack, InFlight inFlight, long packetsInFlight, long nowNanos) {
        WireMessage next = inFlight.cursor();
        boolean mayWait = callerComesBack
                && packetsInFlight >= LEAST_IN_FLIGHT
                && next != null
                && inFlight.isCursorNew()
                && next.packets == 1
                && next.lengthBytes <= MAX_BYTES
                && inFlight.size() - inFlight.numbered() < TRAIN_MESSAGES;
        if (!mayWait) {
            sinceNanos = NEVER;
            return false;
        }
        if (sinceNanos == NEVER) {
            sinceNanos = nowNanos;
        }
        if (nowNanos - sinceNanos < MAX_NANOS) {
            return true;
        }
        sinceNanos = NEVER;
        return false;
    }

    boolean isWaiting() {
        return sinceNanos != NEVER;
    }
}
