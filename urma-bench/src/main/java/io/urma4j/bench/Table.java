package io.urma4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** How figures look, for people and as JSON. */
final class Table {
    private static final String ROW = "| %-19s | %-76s | %11s | %11s | %7s | %15s | %6s | %-6s |";

    private Table() {}

    /** On what it was measured, in words; and how busy that is. */
    static String machine() {
        return String.format(
                "%d CPUs, Linux %s, JDK %s, load %s",
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.version"),
                Runtime.version(),
                load());
    }

    private static String load() {
        try {
            return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
        } catch (IOException e) {
            return "unknown";
        }
    }

    static String head() {
        String names = String.format(ROW, "name", "what", "urma4j", "peer", "value", "min–max", "limit", "");
        return names + "\n" + names.replaceAll("[^|]", "-");
    }

    static String line(Figure figure) {
        return String.format(
                Locale.ROOT,
                ROW,
                figure.name(),
                figure.what(),
                figure.subject(),
                figure.peer(),
                number(figure.value()),
                number(figure.least()) + "–" + number(figure.most()),
                figure.limit(),
                figure.isKept() ? "ok" : "MISSED");
    }

    static String foot(List<Figure> figures) {
        long missed = figures.stream().filter(figure -> !figure.isKept()).count();
        return figures.size() + " figures, " + (missed == 0 ? "every limit kept" : missed + " missed") + ", load "
                + load();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** The names are ours and the rest are numbers, so nothing needs to be escaped. */
    static String json(String machine, List<Figure> figures) {
        StringBuilder json = new StringBuilder("{\"machine\": \"" + machine + "\", \"figures\": [");
        String separator = "\n";
        for (Figure figure : figures) {
            json.append(separator)
                    .append(String.format(
                            Locale.ROOT,
                            "  {\"name\": \"%s\", \"what\": \"%s\", \"subject\": \"%s\", \"peer\": \"%s\", \"value\": %.4f,"
                                    + " \"min\": %.4f, \"max\": %.4f, \"limit\": \"%s\", \"kept\": %b}",
                            figure.name(),
                            figure.what(),
                            figure.subject(),
                            figure.peer(),
                            figure.value(),
                            figure.least(),
                            figure.most(),
                            figure.limit(),
                            figure.isKept()));
            separator = ",\n";
        }
        return json.append("\n]}\n").toString();
    }
}
