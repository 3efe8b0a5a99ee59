package io.urma4j.udma.transport;

/**
 * Up to which PSN responses should have arrived, and since when: a later packet has proven that. A proof counts once it is
 * so old that delayed responses would have arrived meanwhile. Proofs that follow another closely are treated as young as
 * the last of them, so that few entries are enough.
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

    /** Responses before that PSN should have arrived, unless they are delayed. */
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
        assert isOrdered();
    }

    /** Takes the youngest proof of that age; {@code Long.MIN_VALUE} if there is none. */
    long take(long ageNanos, long nowNanos) {
        long taken = Long.MIN_VALUE;
        while (count > 0 && nowNanos - endedNanos[first] >= ageNanos) {
            taken = upTo[first];
            first = slot(1);
            count--;
        }
        return taken;
    }

    /** When the next proof reaches that age; {@code Long.MAX_VALUE} if there is none. */
    long dueNanos(long ageNanos) {
        return count == 0 ? NEVER : endedNanos[first] + ageNanos;
    }

    /** Since when that response should have arrived; {@code Long.MAX_VALUE} if no remaining proof says so. */
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

    /** All responses before that PSN have arrived. */
    void over(long psn) {
        while (count > 0 && upTo[first] <= psn) {
            first = slot(1);
            count--;
        }
    }

    void clear() {
        count = 0;
    }

    /** Whether each proof is younger than the one before it, and of a later PSN. */
    boolean isOrdered() {
        for (int i = 1; i < count; i++) {
            if (upTo[slot(i)] <= upTo[slot(i - 1)] || endedNanos[slot(i)] < endedNanos[slot(i - 1)]) {
                return false;
            }
        }
        return count >= 0 && count <= SLOTS;
    }

    private int slot(int n) {
        return first + n & SLOTS - 1;
    }
}
