package io.urma4j.bench.compare;

import java.util.Locale;

/** How numbers look. */
final class Figures {
    private Figures() {}

    /** Three digits that matter, with a unit. */
    static String nanos(double nanos) {
        if (nanos < 1_000) {
            return digits(nanos) + " ns";
        }
        return nanos < 1_000_000 ? digits(nanos / 1_000) + " µs" : digits(nanos / 1_000_000) + " ms";
    }

    /** The same as operations a second, and from a size on as bytes a second. */
    static String rate(double nanos, int bytes) {
        double perSecond = 1e9 / nanos;
        if (bytes >= 1024) {
            return digits(perSecond * bytes / 1e9) + " GB/s";
        }
        return perSecond >= 1e6 ? digits(perSecond / 1e6) + " M/s" : digits(perSecond / 1e3) + " k/s";
    }

    static String ratio(double ratio) {
        return digits(ratio);
    }

    private static String digits(double value) {
        int after = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + after + "f", value);
    }
}
