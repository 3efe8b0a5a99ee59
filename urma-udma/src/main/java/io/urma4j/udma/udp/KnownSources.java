package io.urma4j.udma.udp;

import java.util.HashMap;
import java.util.Map;

/**
 * Where packets may come from that are no stranger's: the ports of peers, and the addresses of those whose port is not
 * known. Somebody who is known twice must be forgotten twice. Any thread.
 *
 * <p>A peer of urma4j sends by the socket that it receives by, so its port is known; and nothing on the way can change it,
 * for the ICRC covers it. Whoever else speaks RoCE takes what source port he likes (WIRE §0).
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

    /** Whether {@link #take} would tell something new. */
    boolean isChanged() {
        return isChanged;
    }

    /** All of them, which are no news from now on. */
    synchronized Source[] take() {
        isChanged = false;
        return counts.keySet().toArray(Source[]::new);
    }
}
