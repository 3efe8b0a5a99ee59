package io.urma4j.bench.compare;

import io.urma4j.tools.Json;
import io.urma4j.tools.Plot;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run has found: lines with ratios, who took part, who is missing and why. */
final class Report {
    private final Map<String, Object> machine;
    private final String command;
    private final Map<String, String> versions = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final Map<String, Map<String, Object>> plots = new LinkedHashMap<>();

    Report(Map<String, Object> machine, String command) {
        this.machine = machine;
        this.command = command;
    }

    void takesPart(String peer, String version) {
        versions.put(peer, version);
    }

    void isMissing(String peer, String reason) {
        missing.put(peer, reason);
    }

    void failed(String where, String peer, String what) {
        failures.add(where + ": " + peer + " did not finish: " + what);
    }

    void add(Line line) {
        lines.add(line);
    }

    /** A drawing of this name, and what it shows. */
    void drew(String name, String unit, Map<String, List<Plot.Point>> curves) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("unit", unit);
        curves.forEach((peer, points) -> {
            Map<String, Object> values = new LinkedHashMap<>();
            points.forEach(point -> values.put(String.valueOf((long) point.sizeBytes()), point.value()));
            content.put(peer, values);
        });
        plots.put(name, content);
    }

    List<Line> lines() {
        return lines;
    }

    static String head() {
        String names = row("name", "what", "urma4j", "peer", "peer's", "ratio", "min–max", "asked", "");
        return names + names.replaceAll("[^|\\n]", "-");
    }

    static String line(Line line) {
        return row(
                line.row().name(),
                line.row().words(),
                Figures.nanos(line.ours()),
                line.peer(),
                Figures.nanos(line.theirs()),
                line.ratioInWords(),
                Figures.ratio(line.least()) + "–" + Figures.ratio(line.most()),
                line.limitInWords(),
                line.verdict());
    }

    private static String row(Object... cells) {
        int[] widths = {20, 58, 9, 24, 9, 17, 13, 9, 14};
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            boolean isNumber = i == 2 || (i >= 4 && i <= 6);
            row.append(String.format(isNumber ? "| %" + widths[i] + "s " : "| %-" + widths[i] + "s ", cells[i]));
        }
        return row.append("|\n").toString();
    }

    /** Below the table: how many hold, who took part, who did not. */
    String foot() {
        StringBuilder text = new StringBuilder();
        long asked = lines.stream().filter(line -> line.limit() != null).count();
        long kept = lines.stream()
                .filter(line -> line.limit() != null && line.isKept())
                .count();
        if (!lines.isEmpty()) {
            text.append(String.format(
                    "%n%d lines, %d with a target: %d hold, %d are missed; behind in %d%n%n",
                    lines.size(),
                    asked,
                    kept,
                    asked - kept,
                    lines.stream().filter(Line::isBehind).count()));
        }
        versions.forEach((peer, version) -> text.append(String.format("- %s: %s%n", peer, version)));
        missing.forEach((peer, reason) -> text.append(String.format("- MISSING %s: %s%n", peer, reason)));
        failures.forEach(failure -> text.append(String.format("- FAILED %s%n", failure)));
        return text.toString();
    }

    /** A page to be committed. */
    String markdown(String notes) {
        StringBuilder text = new StringBuilder("# urma4j beside others: the figures\n\n");
        text.append("Made by `").append(command).append("`.\n\n");
        machine.forEach((what, value) ->
                text.append("- ").append(what).append(": ").append(value).append('\n'));
        text.append('\n').append(notes).append('\n');
        if (!lines.isEmpty()) {
            text.append(head());
            lines.forEach(line -> text.append(line(line)));
        }
        text.append(foot());
        if (!plots.isEmpty()) {
            text.append("\n## Against size\n\n");
            plots.keySet().forEach(name -> text.append(String.format("![%s](%s.svg)%n", name, name)));
        }
        return text.toString();
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", command);
        all.put("machine", machine);
        all.put("versions", versions);
        all.put("missing", missing);
        all.put("failures", failures);
        all.put("curves", plots);
        all.put("lines", lines.stream().map(Line::json).toList());
        StringWriter text = new StringWriter();
        Json.print(new PrintWriter(text), all);
        return text.toString();
    }
}
