package io.urma4j.udma.transport;

/**
 * Up to which PSN answers must have come, and since when: what is behind an answer has proven that. It counts when it is so
 * old that what is only late would have come meanwhile. Proofs that come soon after another are held for as young as the
 * last of them, so that few places are enough.
 */
final class DelayedProofs {
    private static final int SLOTS = 16;
    private static final int PARTS_OF_AN_AGE = 8;
    private static final long NEVER = Long.MAX_VALUE;

    private final long[] upTo = new long[SLOTS];
    private final long[] beganNanos = new long[SLOTS];
    private final long[] endedNanos = new long[SLOTS];
    private int first;
    private int count;

    /** Answers before that PSN must have come, unless they are late. */
    void add(long psn, long ageNanos, long nowNanos) {
        int last = slot(count - 1);
        if (count > 0 && psn <= upTo[last]) {
            return;
        }
        if (count == 0 || count < SLOTS && nowNanos - beganNanos[last] > ageNanos / PARTS_OF_AN_AGE) {
            last = slot(count++);
            beganNanos[last] = nowNanos;
        }
        upTo[last] = psn;
        endedNanos[last] = nowNanos;
    }

    /** Takes the youngest proof that is so old; {@code Long.MIN_VALUE} when none is. */
    long take(long ageNanos, long nowNanos) {
        long taken = Long.MIN_VALUE;
        while (count > 0 && nowNanos - endedNanos[first] >= ageNanos) {
            taken = upTo[first];
            first = slot(1);
            count--;
        }
        return taken;
    }

    /** When the next one is so old; {@code Long.MAX_VALUE} when there is none. */
    long dueNanos(long ageNanos) {
        return count == 0 ? NEVER : endedNanos[first] + ageNanos;
    }

    /** Since when that answer must have come; {@code Long.MAX_VALUE} when nothing has proven it that is not taken. */
    long sinceNanos(long psn) {
        for (int i = 0; i < count; i++) {
            if (psn < upTo[slot(i)]) {
                return beganNanos[slot(i)];
            }
        }
        return NEVER;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Everything before that PSN has come. */
    void over(long psn) {
        while (count > 0 && upTo[first] <= psn) {
            first = slot(1);
            count--;
        }
    }

    void clear() {
        count = 0;
    }

    private int slot(int n) {
        return first + n & SLOTS - 1;
    }
}
