package io.urma4j.udma.transport;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The rejected flows of a shared connection, until their senders restart them. A flow is one queue to one target.
 *
 * <p>A flow need not be cached forever, and a hostile peer that invents flows fills no memory. A packet that is a whole
 * window behind the last rejected one was sent by a requester that had seen that NAK, and has therefore restarted the flow.
 * So at most a window of flows matters.
 *
 * <p>A peer chooses its flows, so the hash has a secret factor: else it could choose flows of one slot. No result depends on
 * the factor.
 */
final class HeldFlows {
    private static final int FIRST_SLOTS = 16;
    private static final long FREE = -1;
    private static final SecureRandom RANDOM = new SecureRandom();

    // open addressing: a flow, and the PSN of its last rejected packet
    private long[] flows = free(FIRST_SLOTS);
    private long[] lastTurnedAway = new long[FIRST_SLOTS];
    private int used;

    private final long factor;

    HeldFlows() {
        this(RANDOM.nextLong());
    }

    /** @param secret which flows meet in a slot depends on it */
    HeldFlows(long secret) {
        this.factor = secret | 1; // an odd one loses no bit of a flow
    }

    static long flow(int sourceQueue, int queue) {
        return (long) sourceQueue << 32 | queue & 0xFFFF_FFFFL;
    }

    private static long[] free(int slots) {
        long[] flows = new long[slots];
        Arrays.fill(flows, FREE);
        return flows;
    }

    /** The packet with that PSN is rejected, and so are the flow's next ones. */
    void hold(long flow, long psn) {
        int slot = slot(flow);
        if (flows[slot] == FREE) {
            if (2 * (used + 1) > flows.length) {
                tidy(psn);
                slot = slot(flow);
            }
            used++;
            flows[slot] = flow;
        }
        lastTurnedAway[slot] = psn;
    }

    /** Whether the packet with that PSN must be rejected as well; if so, the flow stays held behind it. */
    boolean holds(long flow, long psn) {
        if (used == 0) {
            return false;
        }
        int slot = slot(flow);
        if (flows[slot] == FREE || !matters(lastTurnedAway[slot], psn)) {
            return false;
        }
        lastTurnedAway[slot] = psn;
        return true;
    }

    /** The sender restarts the flow. */
    void release(long flow) {
        if (used > 0) {
            int slot = slot(flow);
            // the slot stays, but is obsolete: a gap would hide entries behind it
            lastTurnedAway[slot] = Long.MIN_VALUE / 2;
        }
    }

    int size() {
        return used;
    }

    private static boolean matters(long last, long psn) {
        return psn - last < ConnectionConfig.MAX_WINDOW_PACKETS;
    }

    private int slot(long flow) {
        int mask = flows.length - 1;
        int slot = firstSlot(flow);
        while (flows[slot] != flow && flows[slot] != FREE) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** Where the search for a flow begins. The top bits of a product depend on all bits of the flow. */
    int firstSlot(long flow) {
        return (int) (flow * factor >>> Long.SIZE - Integer.numberOfTrailingZeros(flows.length));
    }

    /** Keeps current entries, in a table that is at most a quarter full afterwards. */
    private void tidy(long psn) {
        long[] before = flows;
        long[] turnedAway = lastTurnedAway;
        int kept = 0;
        for (int i = 0; i < before.length; i++) {
            kept += before[i] != FREE && matters(turnedAway[i], psn) ? 1 : 0;
        }
        int slots = FIRST_SLOTS;
        while (slots < 4 * (kept + 1)) {
            slots *= 2;
        }
        flows = free(slots);
        lastTurnedAway = new long[slots];
        used = kept;
        for (int i = 0; i < before.length; i++) {
            if (before[i] != FREE && matters(turnedAway[i], psn)) {
                int slot = slot(before[i]);
                flows[slot] = before[i];
                lastTurnedAway[slot] = turnedAway[i];
            }
        }
    }
}
