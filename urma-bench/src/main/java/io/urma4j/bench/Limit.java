package io.urma4j.bench;

import java.util.Locale;

/** What a figure must keep to. */
public sealed interface Limit {
    /** Whether this value is on its right side. */
    boolean isKeptBy(double value);

    /** A ratio of times: less is better. */
    public record AtMost(double most) implements Limit {
        @Override
        public boolean isKeptBy(double value) {
            return value <= most;
        }

        @Override
        public String toString() {
            return "≤ " + number(most);
        }
    }

    /** A ratio of speeds: more is better. */
    public record AtLeast(double least) implements Limit {
        @Override
        public boolean isKeptBy(double value) {
            return value >= least;
        }

        @Override
        public String toString() {
            return "≥ " + number(least);
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
