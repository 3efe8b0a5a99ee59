package io.urma4j.bench.scale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Cost against number: a row of figures for each number of things, and notes on where it ended and why. */
final class Curve {
    /** What was not measured. */
    static final double NONE = Double.NaN;

    private final String name;
    private final String title;
    private final String things;
    private final List<String> columns;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private record Row(long count, List<Double> figures) {}

    /**
     * An empty curve.
     *
     * @param name for {@code --only} and for programs: {@code segments-shm}
     * @param things what there are more and more of
     * @param columns with their unit
     */
    Curve(String name, String title, String things, List<String> columns) {
        this.name = name;
        this.title = title;
        this.things = things;
        this.columns = List.copyOf(columns);
    }

    String name() {
        return name;
    }

    /** Adds a row; a figure that was not measured is {@link #NONE}. */
    void add(long count, double... figures) {
        if (figures.length != columns.size()) {
            throw new IllegalArgumentException(figures.length + " figures for " + columns.size() + " columns");
        }
        rows.add(new Row(count, Arrays.stream(figures).boxed().toList()));
    }

    void note(String note) {
        notes.add(note);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The figure of a column in the last row. */
    double last(String column) {
        return rows.getLast().figures.get(columns.indexOf(column));
    }

    /** The number of things in the last row. */
    long lastCount() {
        return rows.getLast().count;
    }

    /** As a table of Markdown, which people can read as it is. */
    String text() {
        List<List<String>> cells = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of(things));
        head.addAll(columns);
        cells.add(head);
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", row.count)));
            row.figures.stream().map(Curve::number).forEach(line::add);
            cells.add(line);
        }
        StringBuilder text = new StringBuilder(title).append("\n\n");
        int[] widths = widths(cells);
        for (int i = 0; i < cells.size(); i++) {
            text.append(line(cells.get(i), widths));
            if (i == 0) {
                text.append(Arrays.stream(widths)
                        .mapToObj(width -> "-".repeat(width + 1) + ":")
                        .collect(Collectors.joining("|", "|", "|\n")));
            }
        }
        notes.forEach(note -> text.append('\n').append(note).append('\n'));
        return text.toString();
    }

    private static int[] widths(List<List<String>> cells) {
        int[] widths = new int[cells.getFirst().size()];
        for (List<String> line : cells) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        return widths;
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            line.append(' ')
                    .append(" ".repeat(widths[i] - cell.length()))
                    .append(cell)
                    .append(" |");
        }
        return line.append('\n').toString();
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 100 || value == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }

    /** For programs; what was not measured is left out. */
    Map<String, Object> asMap() {
        List<Map<String, Object>> points = new ArrayList<>();
        for (Row row : rows) {
            Map<String, Object> point = new LinkedHashMap<>();
            point.put(things, row.count);
            for (int i = 0; i < columns.size(); i++) {
                if (!row.figures.get(i).isNaN()) {
                    point.put(columns.get(i), row.figures.get(i));
                }
            }
            points.add(point);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("title", title);
        map.put("points", points);
        map.put("notes", notes);
        return map;
    }
}
