package io.urma4j.bench.compare;

import io.urma4j.tools.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The results: lines with ratios, curves, the peers that took part, and the missing ones with the reason. Several runs
 * make one report; a later run replaces the results of an earlier one in the same rows.
 */
final class Report {
    /**
     * A drawing against size.
     *
     * @param values of each peer, by bytes
     */
    record Drawing(String title, String unit, SequencedMap<String, SequencedMap<Long, Double>> values) {}

    /** One call of the program. */
    record Run(String command, String began, String load) {}

    private final Map<String, Object> machine;
    private final List<Run> runs = new ArrayList<>();
    private final Map<String, String> versions = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final SequencedMap<String, List<String>> failures = new LinkedHashMap<>(); // by row or drawing
    private final SequencedMap<String, List<Line>> lines = new LinkedHashMap<>(); // by row
    private final SequencedMap<String, String> received = new LinkedHashMap<>(); // by row: packets that were predicted
    private final SequencedMap<String, Drawing> drawings = new LinkedHashMap<>();
    private final Set<String> withoutTime = new LinkedHashSet<>();
    private final Set<String> leftOut = new LinkedHashSet<>();

    Report(Map<String, Object> machine) {
        this.machine = machine;
    }

    Map<String, Object> machine() {
        return machine;
    }

    void runs(Run run) {
        runs.add(run);
    }

    void takesPart(String peer, String version) {
        versions.put(peer, version);
        missing.remove(peer);
    }

    void isMissing(String peer, String reason) {
        missing.put(peer, reason);
        versions.remove(peer);
    }

    /** A quick run does without this peer. */
    void leavesOut(String peer) {
        leftOut.add(peer);
    }

    void failed(String where, String what) {
        failures.computeIfAbsent(where, any -> new ArrayList<>()).add(what);
    }

    /** Of a row or drawing. */
    void hadNoTime(String name) {
        if (!isKnown(name)) {
            withoutTime.add(name);
        }
    }

    /** Whether a row or drawing of this name is in. */
    boolean isKnown(String name) {
        return lines.containsKey(name) || drawings.containsKey(name);
    }

    /** A row or plot is measured again: its old results are removed. */
    void beginsAnew(String name) {
        failures.remove(name);
        withoutTime.remove(name);
        lines.remove(name);
        received.remove(name);
    }

    void add(Line line) {
        lines.computeIfAbsent(line.row().name(), any -> new ArrayList<>()).add(line);
    }

    /** What both sides of urma4j have received in a row, and how much of it they had predicted. */
    void received(String name, String packets) {
        received.put(name, packets);
    }

    void drew(String name, Drawing drawing) {
        drawings.put(name, drawing);
    }

    /** All, in the order of the table. */
    List<Line> lines() {
        List<String> order = Rows.all().stream().map(Row::name).toList();
        return lines.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> order.indexOf(entry.getKey())))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
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

    /** The text below the table: how many targets hold, and which peers took part or did not. */
    String foot() {
        StringBuilder text = new StringBuilder();
        List<Line> all = lines();
        long asked = all.stream().filter(line -> line.limit() != null).count();
        long kept = all.stream()
                .filter(line -> line.limit() != null && line.isKept())
                .count();
        if (!all.isEmpty()) {
            text.append(String.format(
                    "%n%d lines, %d with a target: %d hold, %d are missed; behind in %d%n%n",
                    all.size(),
                    asked,
                    kept,
                    asked - kept,
                    all.stream().filter(Line::isBehind).count()));
        }
        versions.forEach((peer, version) -> text.append(String.format("- %s: %s%n", peer, version)));
        missing.forEach((peer, reason) -> text.append(String.format("- MISSING %s: %s%n", peer, reason)));
        failures.forEach(
                (where, whats) -> whats.forEach(what -> text.append(String.format("- FAILED %s: %s%n", where, what))));
        if (!leftOut.isEmpty()) {
            text.append(String.format(
                    "- LEFT OUT, for a quick run: %s; and in each row, the peers without a target there%n",
                    String.join(", ", leftOut)));
        }
        if (!withoutTime.isEmpty()) {
            text.append(String.format("- NOT RUN, no time: %s%n", String.join(", ", withoutTime)));
        }
        return text.toString();
    }

    /** A page to be committed. */
    String markdown(String notes) {
        StringBuilder text = new StringBuilder("# urma4j beside others: the figures\n\n");
        machine.forEach((what, value) ->
                text.append("- ").append(what).append(": ").append(value).append('\n'));
        runs.forEach(run ->
                text.append(String.format("- `%s`, at %s, load before %s%n", run.command(), run.began(), run.load())));
        text.append('\n').append(notes).append('\n');
        if (!lines.isEmpty()) {
            text.append(head());
            lines().forEach(line -> text.append(line(line)));
        }
        text.append(foot());
        if (!received.isEmpty()) {
            text.append("\n## Header prediction\n\nPackets of both sides of urma4j, in all rounds of a row\n\n");
            received.forEach((row, packets) ->
                    text.append("- ").append(row).append(": ").append(packets).append('\n'));
        }
        if (!drawings.isEmpty()) {
            text.append("\n## Against size\n\n");
            drawings.keySet().stream()
                    .sorted()
                    .forEach(name -> text.append(String.format("![%s](%s.svg)%n", name, name)));
        }
        return text.toString();
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("machine", machine);
        all.put("runs", runs.stream().map(Report::json).toList());
        all.put("versions", versions);
        all.put("missing", missing);
        all.put("leftOut", List.copyOf(leftOut));
        all.put("notRun", List.copyOf(withoutTime));
        all.put("failures", failures);
        all.put("packets", received);
        Map<String, Object> curves = new LinkedHashMap<>();
        drawings.forEach((name, drawing) -> curves.put(name, json(drawing)));
        all.put("curves", curves);
        all.put("lines", lines().stream().map(Line::json).toList());
        StringWriter text = new StringWriter();
        Json.print(new PrintWriter(text), all);
        return text.toString();
    }

    private static Map<String, Object> json(Run run) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("command", run.command());
        map.put("began", run.began());
        map.put("load", run.load());
        return map;
    }

    private static Map<String, Object> json(Drawing drawing) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("title", drawing.title());
        map.put("unit", drawing.unit());
        Map<String, Object> values = new LinkedHashMap<>();
        drawing.values().forEach((peer, points) -> {
            Map<String, Object> ofPeer = new LinkedHashMap<>();
            points.forEach((bytes, value) -> ofPeer.put(String.valueOf(bytes), value));
            values.put(peer, ofPeer);
        });
        map.put("values", values);
        return map;
    }
}
