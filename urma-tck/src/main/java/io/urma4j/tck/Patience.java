package io.urma4j.tck;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits with a deadline. */
public final class Patience {
    /** After so long something that must happen has not happened. */
    public static final Duration LIMIT = Duration.ofSeconds(20);

    /** For so long we watch for what must not happen: long against a wake-up, short against a test run. */
    public static final Duration WATCH = Duration.ofMillis(40);

    private static final int SPINS = 200;
    private static final long NAP_NANOS = 50_000;

    private Patience() {}

    /** Tries until {@code condition} holds; false when it did not within {@code limit}. */
    public static boolean until(Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int round = 0; !condition.getAsBoolean(); round++) {
            if (System.nanoTime() - deadline > 0) {
                return condition.getAsBoolean();
            }
            if (Thread.interrupted()) {
                throw new AssertionError("interrupted while waiting");
            }
            if (round < SPINS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
        return true;
    }

    /** Tries until {@code condition} holds; fails naming {@code what} when it did not within {@link #LIMIT}. */
    public static void await(String what, BooleanSupplier condition) {
        if (!until(LIMIT, condition)) {
            throw new AssertionError("waited " + LIMIT.toSeconds() + " s in vain: " + what);
        }
    }
}
