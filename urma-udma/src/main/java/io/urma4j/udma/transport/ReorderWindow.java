package io.urma4j.udma.transport;

/**
 * How much later than those sent after it a packet may arrive before it counts as lost (RACK, RFC 8985). RACK grows its
 * window step by step while packets were sent again for nothing. Here each of them tells by how much it was late, and so
 * does each one that was late and was waited for: the window is the most of it, and a quarter more. What nothing has shown
 * for a while is forgotten, so that where nothing is late a loss is seen at once.
 */
final class ReorderWindow {
    /** Where nothing was late, so many younger packets say that one is lost. */
    static final int OVERTAKING = 3;

    /** No longer than this, or than a round trip: parallel ways differ by their queues, however long they are. */
    static final long LONGEST_NANOS = 20_000_000;

    private static final long MEMORY_NANOS = 2_000_000_000;

    // how late packets were at most, in the last one to two times as long as is remembered
    private long latest;
    private long latestBefore;
    private long sinceNanos = Long.MIN_VALUE;

    /** A packet came so much later than it would have with those that were sent behind it. */
    void late(long nanos, long nowNanos) {
        forget(nowNanos);
        latest = Math.max(latest, nanos);
    }

    private void forget(long nowNanos) {
        if (sinceNanos == Long.MIN_VALUE || nowNanos - sinceNanos >= MEMORY_NANOS) {
            boolean isLongAgo = sinceNanos == Long.MIN_VALUE || nowNanos - sinceNanos >= 2 * MEMORY_NANOS;
            latestBefore = isLongAgo ? 0 : latest;
            latest = 0;
            sinceNanos = nowNanos;
        }
    }

    /** How long to wait for a packet when one sent after it has come; 0 when none was late for a while. */
    long nanos(long roundTripNanos, long nowNanos) {
        forget(nowNanos);
        long most = Math.max(latest, latestBefore);
        return Math.min(most + most / 4, Math.max(roundTripNanos, LONGEST_NANOS));
    }
}
