package io.urma4j.shm;

import io.urma4j.shm.ring.RingLayout;
import java.util.HashMap;
import java.util.Map;

/**
 * The rejected flows of a path, until their senders restart them. For the holder of the receive lock.
 *
 * <p>A flow need not be cached forever, and a hostile peer that invents flows fills no memory. A slot that is a whole lap
 * behind the last rejected one was filled by a sender that had seen that answer, and has therefore restarted the flow. So
 * at most a lap of flows matters.
 */
final class HeldFlows {
    /** From this size on, obsolete flows are removed. */
    private static final int TIDY_AT = 2 * RingLayout.SLOTS;

    private final Map<Long, Long> lastTurnedAway = new HashMap<>();

    boolean isEmpty() {
        return lastTurnedAway.isEmpty();
    }

    int size() {
        return lastTurnedAway.size();
    }

    /** The slot at {@code position} of the flow is rejected, and so are the flow's next ones. */
    void hold(long flow, long position) {
        if (lastTurnedAway.size() >= TIDY_AT) {
            lastTurnedAway.values().removeIf(last -> position - last >= RingLayout.SLOTS);
        }
        lastTurnedAway.put(flow, position);
    }

    /** Whether the slot at {@code position} must be rejected as well; if so, the flow stays held behind it. */
    boolean holds(long flow, long position) {
        return lastTurnedAway.computeIfPresent(flow, (same, last) -> position) != null;
    }

    /** The sender restarts the flow. */
    void release(long flow) {
        lastTurnedAway.remove(flow);
    }

    void clear() {
        lastTurnedAway.clear();
    }
}
