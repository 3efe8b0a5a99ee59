package io.urma4j.udma.transport;

/**
 * The decisions of a responder on messages of a shared connection, by PSN: none, or the syndrome that refused the message.
 * It covers only the youngest PSNs, as many as can be unacknowledged. It is kept to repeat the NAK when the message is
 * retransmitted, so every packet behind the refused one has it, too.
 */
final class NakHistory {
    private static final int MASK = ConnectionConfig.MAX_WINDOW_PACKETS - 1;

    private final byte[] syndromes = new byte[ConnectionConfig.MAX_WINDOW_PACKETS];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    void set(long psn, int syndrome) {
        int slot = (int) psn & MASK;
        count += syndromes[slot] == 0 ? 1 : 0;
        syndromes[slot] = (byte) syndrome;
    }

    /** 0 for none. */
    int get(long psn) {
        return count == 0 ? 0 : syndromes[(int) psn & MASK] & 0xFF;
    }

    /** The first one in a range of PSNs, the end excluded; the end if there is none. */
    long next(long from, long end) {
        long psn = from;
        while (psn < end && get(psn) == 0) {
            psn = count == 0 ? end : psn + 1;
        }
        return Math.min(psn, end);
    }

    /** These PSNs are new, or over: no decision is known. */
    void clear(long from, long end) {
        if (count == 0) {
            return;
        }
        for (long psn = from; psn < end; psn++) {
            int slot = (int) psn & MASK;
            count -= syndromes[slot] == 0 ? 0 : 1;
            syndromes[slot] = 0;
        }
    }
}
