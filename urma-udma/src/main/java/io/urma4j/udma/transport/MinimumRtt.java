package io.urma4j.udma.transport;

/** The minimum RTT of the last ten to twenty seconds: that of the path without a queue. */
final class MinimumRtt {
    private static final long MEMORY_NANOS = 10_000_000_000L;

    /** A host handles a packet that comes alone sooner by that than the same packet in a run. */
    private static final long RUN_NANOS = 50_000;

    private static final long NONE = Long.MAX_VALUE;

    private long latest = NONE;
    private long latestBefore = NONE;
    private long sinceNanos;

    /** Without a branch: one that is taken every ten seconds is compiled as a trap, which costs the thread milliseconds. */
    void sample(long rttNanos, long nowNanos) {
        long isFirst = NONE - latest - 1 >> Long.SIZE - 1;
        long isOver = ~(nowNanos - sinceNanos - MEMORY_NANOS >> Long.SIZE - 1);
        long mask = isFirst | isOver;
        latestBefore = chosen(mask, latest, latestBefore);
        sinceNanos = chosen(mask, nowNanos, sinceNanos);
        latest = Math.min(chosen(mask, NONE, latest), rttNanos);
    }

    /** The first value if all bits of the mask are set, the second if none is. */
    private static long chosen(long mask, long first, long second) {
        return second ^ (first ^ second) & mask;
    }

    /** 0 if there is none. */
    long nanos() {
        long minimum = Math.min(latest, latestBefore);
        return minimum == NONE ? 0 : minimum;
    }

    /** Whether an acknowledgement is too early to be for a transmission: a quarter less than the minimum is certain. */
    boolean isTooSoon(long rttNanos) {
        long minimum = nanos();
        return rttNanos < minimum - minimum / 4;
    }

    /** The same where the minimum may be that of packets in runs, and the acknowledgement of a packet alone. */
    boolean isTooSoonAlone(long rttNanos) {
        long minimum = nanos();
        return rttNanos < minimum - Math.max(minimum / 4, RUN_NANOS);
    }
}
