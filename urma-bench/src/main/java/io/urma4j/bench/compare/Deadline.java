package io.urma4j.bench.compare;

import java.time.Duration;

/** When a run begins no further row. */
final class Deadline {
    private final long endNanos;

    private Deadline(long endNanos) {
        this.endNanos = endNanos;
    }

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    /** Whether something that takes so long would end too late. */
    boolean isTooNearFor(Duration work) {
        return System.nanoTime() + work.toNanos() - endNanos > 0;
    }
}
