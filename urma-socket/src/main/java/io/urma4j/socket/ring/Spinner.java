package io.urma4j.socket.ring;

import java.util.concurrent.TimeUnit;

/** A place that waits, and how its last waits ended. One thread at a time. */
public final class Spinner {
    /** What a wait is for. */
    @FunctionalInterface
    public interface Check {
        boolean holds();
    }

    private static final int REMEMBERED = 16;
    private static final int LOOKS = 16; // from one look at the clock to the next

    private final Spinning policy;
    private int won = -1; // a bit for each of the last waits, the newest the lowest; at first all
    private int waits;

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
            if (i % LOOKS == 0 && System.nanoTime() - began >= policy.limitNanos()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    @Override
    public String toString() {
        return "spins " + policy + ", " + Integer.bitCount(won << REMEMBERED) + " of the last " + REMEMBERED + " won";
    }
}
