package io.urma4j.udma.device;

/**
 * Knows what may have waited in this host, and not in the network: a thread that did something else for a while, or had no
 * CPU, finds what has come meanwhile all at once. What is seen of the network in such packets says nothing about it.
 *
 * <p>A look at the port that comes {@link #LATE_NANOS} after the last one is late, and so are those that follow it, until
 * one finds nothing, or for as long as nobody had looked. A host that merely cannot keep up is not late: its queue is a
 * queue like those of switches.
 */
public final class StallDetector {
    /** Less than half of what {@code CongestionControl} tolerates, since both ends may be as late. */
    static final long LATE_NANOS = 800_000;

    private long lookedNanos = Long.MIN_VALUE / 2;
    private long excusedUntilNanos = Long.MIN_VALUE;
    private boolean isLate;

    /** The port is looked at now. */
    public void look(long nowNanos) {
        long away = nowNanos - lookedNanos;
        if (away > LATE_NANOS) {
            excusedUntilNanos = nowNanos + away;
        }
        lookedNanos = nowNanos;
        isLate = nowNanos < excusedUntilNanos;
    }

    /** The look found nothing that is left. */
    public void foundNothing() {
        excusedUntilNanos = Long.MIN_VALUE;
    }

    /** Somebody has waited for packets up to now, and would have come at once. */
    public void watched(long nowNanos) {
        lookedNanos = nowNanos;
    }

    /** Whether what the last look has found may have waited here. */
    public boolean isLate() {
        return isLate;
    }
}
