package io.urma4j.udma.udp;

import java.util.HashMap;
import java.util.Map;

/**
 * The known sources of packets: the ports of peers, and the addresses of peers whose port is unknown. A source that was
 * added twice must be removed twice. Any thread.
 *
 * <p>A urma4j peer sends from the socket that it receives on, so its port is known; no host on the path can change it,
 * because the ICRC covers it. Foreign RoCE peers use arbitrary source ports (WIRE §0).
 */
final class KnownSources {
    /** A port of 0 is any port. */
    record Source(long eidHigh, long eidLow, int port) {}

    private final Map<Source, Integer> counts = new HashMap<>(); // guarded by this
    private volatile boolean isChanged;

    synchronized void add(Source source) {
        if (counts.merge(source, 1, Integer::sum) == 1) {
            isChanged = true;
        }
    }

    synchronized void remove(Source source) {
        Integer count = counts.get(source);
        if (count != null && count == 1) {
            counts.remove(source);
            isChanged = true;
        } else if (count != null) {
            counts.put(source, count - 1);
        }
    }

    /** Whether {@link #take} would return a change. */
    boolean isChanged() {
        return isChanged;
    }

    /** All sources; marks the changes as taken. */
    synchronized Source[] take() {
        isChanged = false;
        return counts.keySet().toArray(Source[]::new);
    }
}
