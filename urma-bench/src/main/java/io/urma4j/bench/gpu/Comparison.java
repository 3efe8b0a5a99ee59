package io.urma4j.bench.gpu;

import io.urma4j.bench.Limit;
import io.urma4j.bench.Rounds;
import io.urma4j.bench.compare.Interval;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A row: urma4j beside its peer. The limit is about the median of the rounds' ratios, which are ratios of speeds if it is a
 * least one, and otherwise of times.
 *
 * @param name short, for a table
 * @param what was measured, beside what
 */
record Comparison(String name, String what, Rounds rounds, Limit limit) {
    private static final String ROW = "| %-20s | %-75s | %10s | %10s | %6s | %11s | %6s | %-6s |";

    /** The first lines of a table. */
    static final String HEAD = head();

    private static String head() {
        String names = String.format(ROW, "name", "what", "urma4j", "peer", "ratio", "95 %", "limit", "");
        return names + System.lineSeparator() + names.replaceAll("[^|]", "-");
    }

    /** Reports each row once it is measured, then those that miss their limits, and all of them as JSON. */
    static void report(Stream<Comparison> measured, Report report) throws IOException {
        report.line("");
        report.line(HEAD);
        List<Comparison> all = measured.peek(row -> report.line(row.line())).toList();
        all.stream().filter(row -> !row.isKept()).forEach(missed -> report.failed(missed.name() + " misses its limit"));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("figures", all.stream().map(Comparison::asMap).toList());
        report.json(figures);
    }

    private double[] ratios() {
        return switch (limit) {
            case Limit.AtLeast _ -> rounds.speeds();
            case Limit.AtMost _ -> rounds.ratios();
        };
    }

    double ratio() {
        return Rounds.median(ratios());
    }

    boolean isKept() {
        return limit.isKeptBy(ratio());
    }

    String line() {
        Interval interval = Interval.of(ratios());
        return String.format(
                ROW,
                name,
                what,
                micros(rounds.subject()),
                micros(rounds.peer()),
                number(ratio()),
                number(interval.low()) + "–" + number(interval.high()),
                limit,
                isKept() ? "ok" : "MISSED");
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.2f µs", nanos / 1_000);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    Map<String, Object> asMap() {
        Interval interval = Interval.of(ratios());
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("what", what);
        map.put("subject_nanos", rounds.subject());
        map.put("peer_nanos", rounds.peer());
        map.put("ratio", ratio());
        map.put("low", interval.low());
        map.put("high", interval.high());
        map.put("limit", limit.toString());
        map.put("kept", isKept());
        return map;
    }
}
