package io.urma4j.internal;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts times in nanoseconds by their size, each within a thirty-second of its value, so that percentiles can be told of
 * any number of them in some kilobytes. Safe for any thread: what is read while others write is a little old.
 */
public final class LatencyHistogram {
    private static final int SUB_BITS = 5;
    private static final int SUBS = 1 << SUB_BITS; // buckets for each power of two
    private static final int BUCKETS = (Long.SIZE - SUB_BITS) * SUBS;

    private static final int COUNT = 0;
    private static final int SUM = 1;
    private static final int MIN = 2;
    private static final int MAX = 3;
    private static final int FIRST = 4;

    private final AtomicLongArray words = new AtomicLongArray(FIRST + BUCKETS);

    /** Nothing is counted yet. */
    public LatencyHistogram() {
        words.set(MIN, Long.MAX_VALUE);
    }

    /** Counts a time; a negative one, of a clock that was set back, as 0. */
    public void record(long nanos) {
        long value = Math.max(nanos, 0);
        words.getAndIncrement(FIRST + bucket(value));
        words.getAndAdd(SUM, value);
        if (value < words.get(MIN)) {
            words.accumulateAndGet(MIN, value, Math::min);
        }
        if (value > words.get(MAX)) {
            words.accumulateAndGet(MAX, value, Math::max);
        }
        words.getAndIncrement(COUNT); // last: a reader that sees the count sees what it counts
    }

    /** Small values have a bucket each; from then on a power of two has {@link #SUBS}. */
    private static int bucket(long value) {
        if (value < SUBS) {
            return (int) value;
        }
        int shift = Long.SIZE - 1 - SUB_BITS - Long.numberOfLeadingZeros(value);
        return (shift << SUB_BITS) + (int) (value >>> shift);
    }

    /** The largest value that the bucket counts. */
    private static long highest(int bucket) {
        if (bucket < SUBS) {
            return bucket;
        }
        int shift = (bucket >>> SUB_BITS) - 1;
        long sub = bucket - ((long) shift << SUB_BITS);
        return (sub + 1 << shift) - 1;
    }

    public long count() {
        return words.get(COUNT);
    }

    /** 0 when nothing was counted. */
    public long minNanos() {
        return count() == 0 ? 0 : words.get(MIN);
    }

    public long maxNanos() {
        return words.get(MAX);
    }

    /** The average; 0 when nothing was counted. */
    public double meanNanos() {
        long count = count();
        return count == 0 ? 0 : (double) words.get(SUM) / count;
    }

    /**
     * The time that this percentage did not exceed, at most a thirty-second too much; 0 without samples.
     *
     * @param percent from 0 to 100
     */
    public long percentileNanos(double percent) {
        long wanted = Math.max(1, (long) Math.ceil(count() * percent / 100));
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            seen += words.get(FIRST + bucket);
            if (seen >= wanted) {
                return Math.min(highest(bucket), maxNanos());
            }
        }
        return maxNanos();
    }
}
