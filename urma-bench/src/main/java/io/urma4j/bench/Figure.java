package io.urma4j.bench;

import java.util.Locale;

/**
 * A line of the table.
 *
 * @param name for {@code --only}
 * @param subject what was measured, with its unit
 * @param peer what it was measured against
 * @param value what the limit is about
 * @param least smallest value of all rounds
 * @param most largest value of all rounds
 */
record Figure(
        String name, String what, String subject, String peer, double value, double least, double most, Limit limit) {

    /** Times: a ratio of more than one is slower than the peer. */
    static Figure ratio(String name, String what, Rounds rounds, Limit limit) {
        return of(name, what, rounds, rounds.ratios(), limit);
    }

    /** Speeds: a ratio of less than one is slower than the peer. */
    static Figure speed(String name, String what, Rounds rounds, Limit limit) {
        return of(name, what, rounds, rounds.speeds(), limit);
    }

    private static Figure of(String name, String what, Rounds rounds, double[] values, Limit limit) {
        return new Figure(
                name,
                what,
                nanos(rounds.subject()),
                nanos(rounds.peer()),
                Rounds.median(values),
                Rounds.least(values),
                Rounds.most(values),
                limit);
    }

    static String nanos(double nanos) {
        return nanos < 10_000
                ? String.format(Locale.ROOT, nanos < 100 ? "%.2f ns" : "%.0f ns", nanos)
                : String.format(Locale.ROOT, "%.1f µs", nanos / 1_000);
    }

    boolean isKept() {
        return limit.isKeptBy(value);
    }
}
