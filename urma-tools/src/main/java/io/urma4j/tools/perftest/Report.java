package io.urma4j.tools.perftest;

import io.urma4j.tools.Json;
import io.urma4j.tools.Plot;
import io.urma4j.tools.Units;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** The result of a run: a table that grows as sizes are done, notes below it, and the same for programs. */
final class Report {
    private static final int LEAST_WIDTH = 9;

    private final PrintWriter out;
    private final OutputOptions options;
    private final OutputFiles files;
    private final Settings settings;
    private final List<SequencedMap<String, Object>> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    Report(PrintWriter out, OutputOptions options, OutputFiles files, Settings settings) {
        this.out = out;
        this.options = options;
        this.files = files;
        this.settings = settings;
    }

    void begin(Endpoint endpoint) {
        String memory = settings.usesDeviceMemory() ? ", memory of " + settings.memory() : "";
        print(settings.workload() + " on " + endpoint.deviceName() + memory + ", mode " + settings.mode() + ", "
                + (settings.isLatency()
                        ? "times in µs"
                        : "BW in " + options.unit().text() + ", MsgRate in millions a second"));
    }

    void row(Latency figures) {
        SequencedMap<String, Object> row = new LinkedHashMap<>();
        row.put("bytes", figures.sizeBytes());
        row.put("iterations", figures.iterations());
        row.put("t_min", figures.minMicros());
        row.put("t_max", figures.maxMicros());
        row.put("t_median", figures.medianMicros());
        row.put("t_avg", figures.averageMicros());
        row.put("t_stdev", figures.deviationMicros());
        for (int i = 0; i < Latency.TAIL.size(); i++) {
            row.put(percent(Latency.TAIL.get(i)), figures.tailMicros().get(i));
        }
        add(row);
    }

    private static String percent(double percentile) {
        String text = Double.toString(percentile);
        return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + "%";
    }

    void row(Bandwidth figures) {
        SequencedMap<String, Object> row = new LinkedHashMap<>();
        row.put("bytes", figures.sizeBytes());
        row.put("iterations", figures.iterations());
        row.put("BW peak", options.unit().of(figures.peakBytesPerSecond()));
        row.put("BW average", options.unit().of(figures.bytesPerSecond()));
        row.put("MsgRate", figures.perSecond() / 1e6);
        add(row);
    }

    private void add(SequencedMap<String, Object> row) {
        if (rows.isEmpty()) {
            print(row.keySet().stream().map(name -> right(name, name)).collect(Collectors.joining("  ")));
        }
        rows.add(row);
        print(row.entrySet().stream()
                .map(cell -> right(text(cell.getKey(), cell.getValue()), cell.getKey()))
                .collect(Collectors.joining("  ")));
    }

    private String text(String heading, Object value) {
        if (value instanceof Double number) {
            boolean absent = heading.equals("BW peak") && number == 0;
            return absent ? "-" : String.format(Locale.ROOT, heading.equals("MsgRate") ? "%.4f" : decimals(), number);
        }
        return value.toString();
    }

    private String decimals() {
        return settings.isLatency() ? "%.3f" : "%.2f";
    }

    private static String right(String text, String heading) {
        int width = Math.max(LEAST_WIDTH, heading.length());
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** A line below the table. */
    void note(String text) {
        notes.add(text);
    }

    /** The costs of a side, as a line below the table. */
    void note(String side, Meter.Reading reading) {
        String pauses = reading.pauses() == 0
                ? "no GC pause"
                : reading.pauses() + " GC pauses of " + reading.pauseMillis() + " ms together";
        note(String.format(
                Locale.ROOT,
                "%s: %s, %s allocated by the measuring thread, %s, on core %s",
                side,
                reading.isLong()
                        ? String.format(Locale.ROOT, "%.0f %% of a CPU", reading.cpuPercent())
                        : "run too short to measure its CPU",
                Units.bytes(reading.allocatedBytes()),
                pauses,
                reading.cores().isEmpty() ? "unknown" : reading.cores()));
    }

    /** Writes the files, which a closed standard output does not prevent; prints the notes and the JSON. */
    void end(Endpoint endpoint, Map<String, Meter.Reading> readings) throws IOException {
        files.writeCsv(csv());
        files.writePlot(plot(endpoint));
        print("");
        notes.forEach(this::print);
        if (options.asksJson()) {
            Json.print(out, asMap(endpoint, readings));
        }
    }

    private Map<String, Object> asMap(Endpoint endpoint, Map<String, Meter.Reading> readings) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("test", settings.workload().word());
        map.put("device", endpoint.deviceName());
        map.put("ioPath", endpoint.ioPath());
        map.put("unit", settings.isLatency() ? "µs" : options.unit().text());
        map.put("settings", settings.given());
        map.put("verified", settings.isVerified());
        map.put("results", rows);
        Map<String, Object> sides = new LinkedHashMap<>();
        readings.forEach((side, reading) -> {
            Map<String, Object> cost = new LinkedHashMap<>();
            cost.put("cpuPercent", reading.cpuPercent());
            cost.put("allocatedBytes", reading.allocatedBytes());
            cost.put("gcPauses", reading.pauses());
            cost.put("gcPauseMillis", reading.pauseMillis());
            cost.put("cores", reading.cores());
            sides.put(side, cost);
        });
        map.put("sides", sides);
        map.put("machine", Machine.line());
        map.put("notes", notes);
        return map;
    }

    private String csv() {
        StringBuilder text = new StringBuilder();
        if (!rows.isEmpty()) {
            text.append(String.join(",", rows.getFirst().keySet())).append('\n');
        }
        for (SequencedMap<String, Object> row : rows) {
            text.append(row.values().stream().map(String::valueOf).collect(Collectors.joining(",")))
                    .append('\n');
        }
        return text.toString();
    }

    private String plot(Endpoint endpoint) {
        String title = settings.workload() + " on " + endpoint.deviceName();
        Plot plot = settings.isLatency()
                ? new Plot(title, "µs").line("median", points("t_median")).line("99 %", points("99%"))
                : new Plot(title, options.unit().text()).line("average", points("BW average"));
        return plot.svg();
    }

    private List<Plot.Point> points(String column) {
        return rows.stream()
                .map(row -> new Plot.Point(
                        ((Number) row.getOrDefault("bytes", 0L)).doubleValue(),
                        ((Number) row.getOrDefault(column, 0.0)).doubleValue()))
                .toList();
    }

    private void print(String line) {
        if (!options.asksJson()) {
            out.println(line);
            out.flush();
        }
    }
}
