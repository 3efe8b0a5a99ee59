package io.urma4j.socket.ring;

import java.util.concurrent.TimeUnit;

/** A place that waits, and how its waits ended. One thread at a time, but for {@link #use}. */
public final class Spinner {
    /** What a wait is for. */
    @FunctionalInterface
    public interface Check {
        boolean holds();
    }

    private static final int REMEMBERED = 16;
    private static final int LOOKS = 16; // from one look at the clock to the next
    private static final int SAMPLED = 16; // of these waits that end in time, one is measured

    private final Spinning policy;
    private int won = -1; // a bit for each of the last waits, the newest the lowest; at first all
    private int waits;
    private long spins;
    private long winning;
    private long nanos;

    Spinner(Spinning policy) {
        this.policy = policy;
    }

    /** Looks until the condition holds, at most as long as the policy says. Returns whether it did. */
    public boolean await(Check condition) {
        if (policy.limitNanos() == 0 || !mayPay() || !policy.enter()) {
            return false;
        }
        try {
            boolean holds = looks(condition);
            won = won << 1 | (holds ? 1 : 0);
            winning += holds ? 1 : 0;
            spins++;
            return holds;
        } finally {
            policy.leave();
        }
    }

    /** Whether its waits end before this time. */
    public boolean isShorterThan(long timeoutMillis) {
        return policy.limitNanos() < TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** One wait of sixteen tries again, or it would never learn that its peer is faster now. */
    private boolean mayPay() {
        return !policy.isAdaptive()
                || ++waits % REMEMBERED == 0
                || 2 * Integer.bitCount(won << REMEMBERED) >= REMEMBERED;
    }

    private boolean looks(Check condition) {
        long began = System.nanoTime();
        for (int i = 0; !condition.holds(); i++) {
            if (i % LOOKS == 0) {
                long passed = System.nanoTime() - began;
                if (passed >= policy.limitNanos()) {
                    nanos += passed;
                    return false;
                }
            }
            Thread.onSpinWait();
        }
        if (spins % SAMPLED == 0) { // the clock takes as long as a fast answer
            nanos += SAMPLED * (System.nanoTime() - began);
        }
        return true;
    }

    /** What it has spun so far. Any thread. */
    public SpinUse use() {
        return new SpinUse(spins, winning, nanos);
    }

    @Override
    public String toString() {
        return "spins " + policy + ", " + Integer.bitCount(won << REMEMBERED) + " of the last " + REMEMBERED + " won";
    }
}
