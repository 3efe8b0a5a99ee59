package io.urma4j.tools;

import java.time.Duration;
import java.util.Locale;

/** Readable figures with units. */
public final class Units {
    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Units() {}

    /** As in {@code 8 B}, {@code 4 KiB}, {@code 1.4 GiB}: the decimal only where it is not zero. */
    public static String bytes(long bytes) {
        int power = 0;
        double value = bytes;
        while (value >= 1024 && power < BINARY.length - 1) {
            value /= 1024;
            power++;
        }
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f %s" : "%.1f %s", value, BINARY[power]);
    }

    /** As in {@code 13.4 GiB/s}. */
    public static String rate(double bytesPerSecond) {
        int power = 0;
        double value = bytesPerSecond;
        while (value >= 1024 && power < BINARY.length - 1) {
            value /= 1024;
            power++;
        }
        return String.format(Locale.ROOT, "%.1f %s/s", value, BINARY[power]);
    }

    /** As in {@code 85 ns}, {@code 1.24 µs}, {@code 3.10 ms}, {@code 2.50 s}. */
    public static String time(long nanos) {
        if (nanos < 1_000) {
            return nanos + " ns";
        }
        if (nanos < 1_000_000) {
            return String.format(Locale.ROOT, "%.2f µs", nanos / 1e3);
        }
        if (nanos < 1_000_000_000) {
            return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
        }
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }

    public static String time(Duration duration) {
        return time(duration.toNanos());
    }

    /** With a separator every three digits, as in {@code 1,000,000}. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
