package io.urma4j.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits with a timeout. The tests' timeouts assume a fast path to the peer. On a slow path, {@code
 * -Durma.tck.patience=N} multiplies each by N, and tests with much data move less.
 */
public final class Patience {
    /** The system property with the {@link #FACTOR}; processes that tests start get it, too. */
    public static final String PROPERTY = "urma.tck.patience";

    /** The factor of all timeouts: 1, or more where the path between two ends is slow. */
    public static final int FACTOR = factor();

    /** The timeout of everything that must happen. */
    public static final Duration LIMIT = stretched(Duration.ofSeconds(20));

    /** The timeout for concurrent threads to end, in seconds. */
    public static final long THREADS_SECONDS = 2 * LIMIT.toSeconds();

    /** How long a test watches for what must not happen: long against a wake-up, short against a test run. */
    public static final Duration WATCH = stretched(Duration.ofMillis(40));

    private static final long MOST_BYTES_OF_A_SLOW_PATH = 8 << 20;
    private static final int SPINS = 200;
    private static final long NAP_NANOS = 50_000;

    private Patience() {}

    private static int factor() {
        int factor = Integer.getInteger(PROPERTY, 1);
        if (factor < 1) {
            throw new IllegalArgumentException(PROPERTY + " is " + factor + ", the least is 1");
        }
        return factor;
    }

    /** The timeout {@code usual}, multiplied by the factor. */
    public static Duration stretched(Duration usual) {
        return usual.multipliedBy(FACTOR);
    }

    /** The amount of work: {@code usual}, or {@code slow} where the path between two ends is slow. */
    public static int amount(int usual, int slow) {
        return FACTOR == 1 ? usual : slow;
    }

    /** Skips a test that would move too much data over a slow path. */
    static void assumeCarried(long lengthBytes) {
        assumeTrue(
                FACTOR == 1 || lengthBytes <= MOST_BYTES_OF_A_SLOW_PATH,
                () -> lengthBytes + " bytes take minutes over a slow path");
    }

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
            throw new AssertionError("timed out after " + LIMIT.toSeconds() + " s: " + what);
        }
    }
}
