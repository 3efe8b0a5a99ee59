package io.urma4j.shm;

import io.urma4j.shm.ring.RingLayout;
import java.util.HashMap;
import java.util.Map;

/**
 * The flows of a path that are turned away until their senders start them anew. For whoever has the claim to receive.
 *
 * <p>A flow need not be remembered for ever, and a hostile peer that invents flows fills no memory: a slot that is a whole
 * lap behind the last one that was turned away was filled by a sender that had seen that answer, and which therefore has
 * started anew. So at most a lap of flows matters.
 */
final class HeldFlows {
    /** From this size on those that matter no more are looked for. */
    private static final int TIDY_AT = 2 * RingLayout.SLOTS;

    private final Map<Long, Long> lastTurnedAway = new HashMap<>();

    boolean isEmpty() {
        return lastTurnedAway.isEmpty();
    }

    int size() {
        return lastTurnedAway.size();
    }

    /** The slot at {@code position} of the flow is turned away, and so are the flow's next ones. */
    void hold(long flow, long position) {
        if (lastTurnedAway.size() >= TIDY_AT) {
            lastTurnedAway.values().removeIf(last -> position - last >= RingLayout.SLOTS);
        }
        lastTurnedAway.put(flow, position);
    }

    /** Whether the slot at {@code position} must be turned away as well; if so, the flow stays held behind it. */
    boolean holds(long flow, long position) {
        return lastTurnedAway.computeIfPresent(flow, (same, last) -> position) != null;
    }

    /** The sender starts the flow anew. */
    void release(long flow) {
        lastTurnedAway.remove(flow);
    }

    void clear() {
        lastTurnedAway.clear();
    }
}
