package io.urma4j.udma.driver;

import java.util.HashMap;
import java.util.Map;

/**
 * Slows down who guesses: after a burst of refusals all answers to that address wait, right or wrong, so that the time
 * tells nothing (S7.6). Whoever greets has proven his address, so nobody can be slowed down by another. For one thread;
 * time is handed in.
 */
final class Guesses<A> {
    /** So much time each refusal costs. */
    static final long COST_NANOS = 100_000_000;

    /** So many are free before anybody waits. */
    static final int BURST = 10;

    private static final int MAX_ADDRESSES = 1024;

    private final Map<A, Long> paidAt = new HashMap<>();

    /** Notes a refusal. */
    void wrong(A address, long nowNanos) {
        if (paidAt.size() >= MAX_ADDRESSES) {
            paidAt.values().removeIf(paid -> paid - nowNanos <= 0);
        }
        paidAt.put(address, nowNanos + debtNanos(address, nowNanos) + COST_NANOS);
    }

    /** How long the next answer has to wait. */
    long delayNanos(A address, long nowNanos) {
        return Math.max(debtNanos(address, nowNanos) - BURST * COST_NANOS, 0);
    }

    private long debtNanos(A address, long nowNanos) {
        Long paid = paidAt.get(address);
        return paid == null ? 0 : Math.max(paid - nowNanos, 0);
    }
}
