package io.urma4j.shm.control;

import java.util.HashMap;
import java.util.Map;

/**
 * Slows down who guesses: after a burst of refusals all answers to that process wait, right or wrong, so that the time
 * tells nothing. Time is handed in.
 */
final class FailureLimiter {
    /** So much time each refusal costs. */
    static final long COST_NANOS = 100_000_000;

    /** So many are free before anybody waits. */
    static final int BURST = 10;

    private static final int MAX_PROCESSES = 1024;

    /** When each process will have paid for its refusals. */
    private final Map<Integer, Long> paidAt = new HashMap<>();

    /** Notes a refusal. */
    void failed(int pid, long nowNanos) {
        if (paidAt.size() >= MAX_PROCESSES) {
            paidAt.values().removeIf(paid -> paid - nowNanos <= 0);
        }
        paidAt.put(pid, nowNanos + debtNanos(pid, nowNanos) + COST_NANOS);
    }

    /** How long the next answer has to wait. */
    long delayNanos(int pid, long nowNanos) {
        return Math.max(debtNanos(pid, nowNanos) - BURST * COST_NANOS, 0);
    }

    private long debtNanos(int pid, long nowNanos) {
        Long paid = paidAt.get(pid);
        return paid == null ? 0 : Math.max(paid - nowNanos, 0);
    }
}
