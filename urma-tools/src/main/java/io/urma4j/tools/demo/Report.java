package io.urma4j.tools.demo;

import io.urma4j.tools.Progress;
import io.urma4j.tools.Table;
import io.urma4j.tools.Units;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The output of the demo: each check as it is made, and the figures at the end. */
final class Report {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean quiet;
    private final List<Check> checks = new ArrayList<>();
    private final List<Figures> figures = new ArrayList<>();

    private record Check(String name, boolean passed, String detail) {}

    /** @param quiet nothing to stdout, since the caller prints {@link #asMap} */
    Report(PrintWriter out, PrintWriter err, boolean quiet) {
        this.out = out;
        this.err = err;
        this.quiet = quiet;
    }

    void begin(String what, String device) {
        print("urma demo: " + what + " on device " + device);
        print("");
    }

    Progress progress(String step) {
        return Progress.of(err, step);
    }

    void passed(String name, String detail) {
        add(new Check(name, true, detail));
    }

    void failed(String name, String detail) {
        add(new Check(name, false, detail));
    }

    private void add(Check check) {
        checks.add(check);
        print("  " + (check.passed() ? "ok    " : "FAILED") + "  " + check.name());
        if (!check.detail().isEmpty()) {
            print("          " + check.detail());
        }
    }

    void figures(Figures row) {
        figures.add(row);
    }

    /** Prints the figures, and what failed; returns the exit code. */
    int end() {
        if (!quiet && !figures.isEmpty()) {
            printFigures();
        }
        List<String> failed = checks.stream()
                .filter(check -> !check.passed())
                .map(Check::name)
                .toList();
        if (failed.isEmpty()) {
            print("");
            print("All " + checks.size() + " checks passed.");
            return 0;
        }
        err.println("urma: " + failed.size() + " of " + checks.size() + " checks failed: " + String.join("; ", failed));
        err.flush();
        return 1;
    }

    private void printFigures() {
        print("");
        Table table =
                new Table().figures("SIZE").figures("WRITE p50").figures("p99").figures("rate");
        table.figures("READ p50")
                .figures("p99")
                .figures("rate")
                .figures("COPY p50")
                .figures("p99")
                .figures("rate");
        table.figures("ALLOCATED");
        for (Figures row : figures) {
            table.row(
                    Units.bytes(row.sizeBytes()),
                    Units.time(row.write().p50Nanos()),
                    Units.time(row.write().p99Nanos()),
                    Units.rate(row.write().bytesPerSecond()),
                    Units.time(row.read().p50Nanos()),
                    Units.time(row.read().p99Nanos()),
                    Units.rate(row.read().bytesPerSecond()),
                    Units.time(row.copy().p50Nanos()),
                    Units.time(row.copy().p99Nanos()),
                    Units.rate(row.copy().bytesPerSecond()),
                    allocated(row));
        }
        table.print(out);
        print("");
        print(
                "One operation at a time from post to polled record; p50 and p99 hold the cost of reading the clock, rates");
        print(
                "do not. COPY is a plain copy of as many bytes between two local buffers. ALLOCATED is on the Java heap,");
        print("per write / per read.");
    }

    private static String allocated(Figures row) {
        return bytes(row.write().allocatedBytes()) + " / " + bytes(row.read().allocatedBytes()) + " B";
    }

    private static String bytes(double allocated) {
        return allocated < 0.005 ? "0" : String.format(Locale.ROOT, "%.2f", allocated);
    }

    /** All of it, for programs. */
    Map<String, Object> asMap(long sizeBytes, String device, String memory) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", device);
        map.put("memory", memory);
        map.put("sizeBytes", sizeBytes);
        map.put("passed", checks.stream().allMatch(Check::passed));
        List<Object> all = new ArrayList<>();
        for (Check check : checks) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", check.name());
            one.put("passed", check.passed());
            one.put("detail", check.detail());
            all.add(one);
        }
        map.put("checks", all);
        map.put("figures", figures.stream().map(Figures::asMap).toList());
        return map;
    }

    private void print(String line) {
        if (!quiet) {
            out.println(line);
            out.flush();
        }
    }
}
