package io.urma4j.spi.support;

import io.urma4j.AsyncEvent;
import io.urma4j.spi.ContextEvents;

/**
 * Rate-limits the events of refused imports, so that they do not displace other events (S7.6). Time is an argument. For one
 * thread.
 */
public final class RefusalEvents {
    /** The number of events raised at once. */
    public static final int BURST = 8;

    /** The interval of further events, each of which counts the refusals in between. */
    public static final long PAUSE_NANOS = 1_000_000_000;

    private final ContextEvents events;
    private int allowance = BURST;
    private long refilledAt;
    private long untold;

    public RefusalEvents(ContextEvents events, long nowNanos) {
        this.events = events;
        this.refilledAt = nowNanos;
    }

    public void refused(String object, Object from, long nowNanos) {
        long earned = (nowNanos - refilledAt) / PAUSE_NANOS;
        if (earned > 0) {
            allowance = (int) Math.min(BURST, allowance + earned);
            refilledAt += earned * PAUSE_NANOS;
        }
        if (allowance == 0) {
            untold++;
            return;
        }
        allowance--;
        String more = untold == 0 ? "" : "; " + untold + " earlier refusals were not reported";
        untold = 0;
        events.raise(new AsyncEvent(
                AsyncEvent.Type.IMPORT_REFUSED, object, from + " offered a wrong token, id or access" + more));
    }
}
