package io.urma4j.udma.engine;

/**
 * Detects packets that may have waited in this host, and not in the network: a thread that was busy, or had no CPU,
 * receives all packets of that time at once. Their delay says nothing about the network.
 *
 * <p>A poll of the port that comes {@link #LATE_NANOS} after the last one counts as delayed, and so do those that follow
 * it, until one finds nothing, or the length of the stall has passed again. A host that is merely too slow is not stalled:
 * its backlog is a queue like those of switches.
 */
final class StallDetector {
    /** Less than half of what {@code CongestionControl} tolerates, since both ends may be delayed. */
    static final long LATE_NANOS = 800_000;

    private long lookedNanos = Long.MIN_VALUE / 2;
    private long excusedUntilNanos = Long.MIN_VALUE;
    private boolean isLate;

    /** The port is polled now. */
    void look(long nowNanos) {
        long away = nowNanos - lookedNanos;
        if (away > LATE_NANOS) {
            excusedUntilNanos = nowNanos + away;
        }
        lookedNanos = nowNanos;
        isLate = nowNanos < excusedUntilNanos;
    }

    /** The poll found no more packets. */
    void foundNothing() {
        excusedUntilNanos = Long.MIN_VALUE;
    }

    /** A thread has waited for packets until now, and would have received them at once. */
    void watched(long nowNanos) {
        lookedNanos = nowNanos;
    }

    /** Whether packets of the last poll may have waited here. */
    boolean isLate() {
        return isLate;
    }
}
