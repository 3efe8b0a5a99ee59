package io.urma4j.udma.transport;

import java.util.Arrays;

/** A set of PSNs that can be unacknowledged at once: a bit each. */
final class PsnSet {
    private static final int MASK = ConnectionConfig.MAX_WINDOW_PACKETS - 1;

    private final long[] words = new long[ConnectionConfig.MAX_WINDOW_PACKETS / Long.SIZE];
    private int count;

    int count() {
        return count;
    }

    boolean has(long psn) {
        return count > 0 && (words[word(psn)] & 1L << psn) != 0;
    }

    void add(long psn) {
        long before = words[word(psn)];
        words[word(psn)] = before | 1L << psn;
        count += before == words[word(psn)] ? 0 : 1;
        assert count <= ConnectionConfig.MAX_WINDOW_PACKETS : count;
    }

    void remove(long psn) {
        if (has(psn)) {
            words[word(psn)] &= ~(1L << psn);
            count--;
        }
    }

    /** Removes these PSNs, which are over. */
    void clear(long from, long end) {
        for (long psn = from; psn < end && count > 0; psn++) {
            remove(psn);
        }
    }

    void clear() {
        if (count > 0) {
            Arrays.fill(words, 0);
            count = 0;
        }
    }

    private static int word(long psn) {
        return ((int) psn & MASK) >>> 6;
    }
}
