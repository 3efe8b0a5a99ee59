package io.urma4j.spi.support;

import java.util.HashMap;
import java.util.Map;

/**
 * Slows down callers that guess tokens. After a burst of refusals, all answers to the caller are delayed, right or wrong,
 * so that the delay reveals nothing (S7.6). For one thread; time is an argument.
 *
 * @param <A> identifies a caller by something that cannot be forged: a process, a proven address
 */
public final class FailureLimiter<A> {
    /** The delay per refusal. */
    public static final long COST_NANOS = 100_000_000;

    /** The number of refusals without delay. */
    public static final int BURST = 10;

    private static final int MAX_CALLERS = 1024;

    private final long costNanos;
    private final int burst;

    /** When the delay of each caller ends. */
    private final Map<A, Long> paidAt = new HashMap<>();

    /** A limiter where each refusal costs {@link #COST_NANOS}, beyond a burst of {@link #BURST}. */
    public FailureLimiter() {
        this(COST_NANOS, BURST);
    }

    FailureLimiter(long costNanos, int burst) {
        this.costNanos = costNanos;
        this.burst = burst;
    }

    /** Records a refusal. */
    public void failed(A caller, long nowNanos) {
        if (paidAt.size() >= MAX_CALLERS) {
            paidAt.values().removeIf(paid -> paid - nowNanos <= 0);
        }
        paidAt.put(caller, nowNanos + debtNanos(caller, nowNanos) + costNanos);
    }

    /** How long the next answer must be delayed. */
    public long delayNanos(A caller, long nowNanos) {
        return Math.max(debtNanos(caller, nowNanos) - burst * costNanos, 0);
    }

    long debtNanos(A caller, long nowNanos) {
        Long paid = paidAt.get(caller);
        return paid == null ? 0 : Math.max(paid - nowNanos, 0);
    }
}
