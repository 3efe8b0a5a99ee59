package io.urma4j.internal;

import java.time.Duration;

/** Durations in nanoseconds, where a caller may have said "for centuries". */
public final class Nanos {
    /** More than this is this: 146 years, which can be added to {@code System.nanoTime()}. */
    public static final long FOREVER = Long.MAX_VALUE / 2;

    private static final Duration LONGEST = Duration.ofNanos(FOREVER);

    private Nanos() {}

    /** The same, but no longer than what stands for forever, whose nanoseconds fit into a long. */
    public static Duration bounded(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    }

    /** The length of {@code duration}; -1 when it is negative. */
    public static long of(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? FOREVER : duration.isNegative() ? -1 : duration.toNanos();
    }

    /** How long a wait may last; a negative timeout is no limit. */
    public static long ofWait(Duration timeout) {
        return timeout.isNegative() ? FOREVER : of(timeout);
    }

    /** When {@code timeout} is over, in terms of {@code System.nanoTime()}. */
    public static long deadlineAfter(Duration timeout) {
        return System.nanoTime() + of(timeout);
    }
}
