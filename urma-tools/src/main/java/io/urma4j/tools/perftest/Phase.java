package io.urma4j.tools.perftest;

import io.urma4j.tools.Line;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A phase: operations of one size, with both sides idle before and after. It ends when all are done, or after its
 * duration.
 *
 * @param times how many at most
 * @param duration how long at most, or null
 * @param seed of the payload
 */
record Phase(long sizeBytes, long times, @Nullable Duration duration, long seed) {
    static final String VERB = "phase";

    /** More operations than any run reaches: the duration, or the user, ends it. */
    static final long ENDLESS = 1L << (Lane.NUMBER_BITS - 1);

    Line toLine() {
        Line line = Line.of(VERB).with("size", sizeBytes).with("times", times).with("seed", seed);
        return duration == null ? line : line.with("nanos", duration.toNanos());
    }

    static Phase of(Line line) {
        boolean timed = line.values().containsKey("nanos");
        return new Phase(
                line.number("size"),
                line.number("times"),
                timed ? Duration.ofNanos(line.number("nanos")) : null,
                line.number("seed"));
    }

    /** When it is over at the latest, on the clock of {@code System.nanoTime()}. */
    long endNanos(long beginNanos) {
        return duration == null ? beginNanos + Long.MAX_VALUE / 2 : beginNanos + duration.toNanos();
    }
}
