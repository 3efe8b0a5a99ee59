package io.urma4j.shm.control;

import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/**
 * Warnings that unknown peers can cause: a few at once, then one per second, so that an attack cannot fill the log. Any
 * thread.
 */
public final class LimitedWarnings {
    private static final int BURST = 8;
    private static final long EACH_NANOS = 1_000_000_000;

    private final System.Logger log;
    private long paidAt = System.nanoTime();
    private long unsaid;

    public LimitedWarnings(System.Logger log) {
        this.log = log;
    }

    /** Logs it, or counts it among the suppressed ones. */
    public void log(Supplier<String> what) {
        long before = allowance(System.nanoTime());
        if (before >= 0) {
            log.log(Level.WARNING, () -> what.get() + (before == 0 ? "" : " (and " + before + " earlier ones)"));
        }
    }

    /** How many warnings were suppressed before this one; −1 if this one is suppressed, too. */
    synchronized long allowance(long nowNanos) {
        long start = Math.max(paidAt - nowNanos, 0);
        if (start > BURST * EACH_NANOS) {
            unsaid++;
            return -1;
        }
        paidAt = nowNanos + start + EACH_NANOS;
        long before = unsaid;
        unsaid = 0;
        return before;
    }
}
