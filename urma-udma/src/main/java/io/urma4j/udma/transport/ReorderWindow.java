package io.urma4j.udma.transport;

/**
 * How much later than packets sent after it a packet may arrive before it counts as lost (RACK, RFC 8985). RACK grows its
 * window step by step with spurious retransmissions. Here each spurious retransmission shows the packet's delay, and so
 * does each delayed packet that was waited for: the window is their maximum, and a quarter more. Delays expire after a
 * while, so that without delays a loss is detected at once.
 */
final class ReorderWindow {
    /** Without delays, this many younger packets show that one is lost. */
    static final int OVERTAKING = 3;

    /** Maximum window, besides one RTT: parallel paths differ by their queues, however long they are. */
    static final long LONGEST_NANOS = 20_000_000;

    private static final long MEMORY_NANOS = 2_000_000_000;

    // maximum delay in the last one to two times the expiry interval
    private long latest;
    private long latestBefore;
    private long sinceNanos = Long.MIN_VALUE;

    /** A packet arrived this much later than it would have with those that were sent after it. */
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

    /** How long to wait for a packet when one sent after it has arrived; 0 if none was delayed for a while. */
    long nanos(long roundTripNanos, long nowNanos) {
        forget(nowNanos);
        long most = Math.max(latest, latestBefore);
        return Math.min(most + most / 4, Math.max(roundTripNanos, LONGEST_NANOS));
    }
}
