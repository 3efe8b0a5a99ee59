package io.urma4j.bench.compare;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The file of the guard's limits.
 *
 * @param machine the kind of machine that they were recorded on, as {@link Machine#kind} says it; empty for none
 * @param byRow at most this multiple of C's time
 */
record GuardLimits(String machine, Map<String, Double> byRow) {
    private static final String MACHINE = "machine";

    static GuardLimits read(Path file) throws IOException {
        Properties properties = new Properties();
        if (Files.exists(file)) {
            try (Reader text = Files.newBufferedReader(file)) {
                properties.load(text);
            }
        }
        NavigableMap<String, Double> byRow = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (!name.equals(MACHINE)) {
                byRow.put(name, Double.valueOf(properties.getProperty(name)));
            }
        }
        return new GuardLimits(properties.getProperty(MACHINE, ""), byRow);
    }

    /** The limit of a row; infinite where none is recorded. */
    double of(String row) {
        return byRow.getOrDefault(row, Double.POSITIVE_INFINITY);
    }

    /** Whether they say anything of such a machine. */
    boolean areOf(String kind) {
        return machine.equals(kind);
    }

    void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder("""
            # What urma-bench/guard keeps, at most, on this kind of machine: time of urma4j by that of raw C in the same run;
            # of registered buffers, by that of what they are made of.
            # Rows of one thread: by urma-bench/guard --record on an idle machine, a tenth above the median of seven runs.
            # Rows of two processes: by hand, and wide, since the ratio depends on how far apart their CPUs are.
            # A limit that goes up needs a reason.
            """);
        text.append(MACHINE).append('=').append(machine).append('\n');
        byRow.forEach((name, limit) -> text.append(String.format(Locale.ROOT, "%s=%.2f%n", name, limit)));
        Files.writeString(file, text);
    }
}
