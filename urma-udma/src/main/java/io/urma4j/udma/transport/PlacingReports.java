package io.urma4j.udma.transport;

/**
 * When a responder reports to an urma4j peer that requests have arrived and are being placed: well before the shortest
 * timeout of a requester, so that a slow copy does not look like a loss. Foreign peers know no such report. They retransmit,
 * and what they retransmit is recognised.
 */
final class PlacingReports {
    /** Half of the time after which a requester probes at the earliest, and an eighth of its shortest timeout. */
    static final long INTERVAL_NANOS = 500_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final boolean isKnown;
    private long dueNanos = NEVER;

    /** @param isKnown whether the peer knows such reports */
    PlacingReports(boolean isKnown) {
        this.isKnown = isKnown;
    }

    /** Whether to report now. */
    boolean isDue(boolean isPlacing, long nowNanos) {
        if (!isPlacing || nowNanos < dueNanos) {
            return false;
        }
        dueNanos = nowNanos + INTERVAL_NANOS;
        return true;
    }

    /** Begins or ends the wait for the next report. */
    void expect(boolean isPlacing, long nowNanos) {
        if (!isPlacing) {
            dueNanos = NEVER;
        } else if (isKnown && dueNanos == NEVER) {
            dueNanos = nowNanos + INTERVAL_NANOS;
        }
    }

    long dueNanos() {
        return dueNanos;
    }
}
