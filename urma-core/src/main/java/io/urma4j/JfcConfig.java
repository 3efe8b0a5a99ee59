package io.urma4j;

import io.urma4j.internal.Nanos;
import java.time.Duration;

/**
 * Configuration of a JFC.
 *
 * @param depth capacity in records, rounded up to a power of two
 * @param lockFree the caller guarantees that one thread at a time polls it and posts to its queues (S9.5)
 * @param moderationCount the event waits until this many records have arrived since it was armed, 1…depth (S10.8)
 * @param moderationPeriod maximum delay of the event after a record; zero if the count is 1
 */
public record JfcConfig(int depth, boolean lockFree, int moderationCount, Duration moderationPeriod) {
    public JfcConfig {
        moderationPeriod = Nanos.bounded(moderationPeriod);
    }

    /** 1024 records, any number of threads, an event for the next record. */
    public static final JfcConfig DEFAULT = new JfcConfig(1024, false);

    /** Without moderation. */
    public JfcConfig(int depth, boolean lockFree) {
        this(depth, lockFree, 1, Duration.ZERO);
    }

    public JfcConfig withDepth(int depth) {
        return new JfcConfig(depth, lockFree, moderationCount, moderationPeriod);
    }

    public JfcConfig withLockFree() {
        return new JfcConfig(depth, true, moderationCount, moderationPeriod);
    }

    /** Fewer events, each for several records. */
    public JfcConfig withModeration(int count, Duration period) {
        return new JfcConfig(depth, lockFree, count, period);
    }
}
