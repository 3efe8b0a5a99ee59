package io.urma4j.spi.support;

import java.util.HashMap;
import java.util.Map;

/**
 * Slows down who guesses: after a burst of refusals all answers to him wait, right or wrong, so that the time tells
 * nothing (S7.6). For one thread; time is handed in.
 *
 * @param <A> what tells one caller from another, and what nobody can pretend: a process, a proven address
 */
public final class FailureLimiter<A> {
    /** So much time each refusal costs. */
    public static final long COST_NANOS = 100_000_000;

    /** So many are free before anybody waits. */
    public static final int BURST = 10;

    private static final int MAX_CALLERS = 1024;

    private final long costNanos;
    private final int burst;

    /** When each caller will have paid for his refusals. */
    private final Map<A, Long> paidAt = new HashMap<>();

    /** One where each refusal costs {@link #COST_NANOS}, beyond a burst of {@link #BURST}. */
    public FailureLimiter() {
        this(COST_NANOS, BURST);
    }

    FailureLimiter(long costNanos, int burst) {
        this.costNanos = costNanos;
        this.burst = burst;
    }

    /** Notes a refusal. */
    public void failed(A caller, long nowNanos) {
        if (paidAt.size() >= MAX_CALLERS) {
            paidAt.values().removeIf(paid -> paid - nowNanos <= 0);
        }
        paidAt.put(caller, nowNanos + debtNanos(caller, nowNanos) + costNanos);
    }

    /** How long the next answer has to wait. */
    public long delayNanos(A caller, long nowNanos) {
        return Math.max(debtNanos(caller, nowNanos) - burst * costNanos, 0);
    }

    long debtNanos(A caller, long nowNanos) {
        Long paid = paidAt.get(caller);
        return paid == null ? 0 : Math.max(paid - nowNanos, 0);
    }
}
