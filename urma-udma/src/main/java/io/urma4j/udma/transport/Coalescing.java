package io.urma4j.udma.transport;

/**
 * Delays small requests so that several leave together: a system call takes many packets as well as one, and costs more
 * than creating a few dozen of them. Requests wait only while enough packets are in flight to keep the peer busy, for a few
 * microseconds at most, and only if the caller comes back ({@link FlushHint}).
 */
final class Coalescing {
    /** With fewer packets in flight no request waits. */
    static final int LEAST_IN_FLIGHT = 16;

    /** This many requests need not wait for more. */
    static final int TRAIN_MESSAGES = 32;

    /** Longer requests never wait. */
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
