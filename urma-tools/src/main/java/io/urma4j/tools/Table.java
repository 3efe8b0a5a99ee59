package io.urma4j.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows under headings, in columns as wide as their widest cell. */
public final class Table {
    private static final String GAP = "  ";

    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    private record Column(String heading, boolean right) {}

    /** Adds a column of words. */
    public Table words(String heading) {
        columns.add(new Column(heading, false));
        return this;
    }

    /** Adds a column of figures, which stand at its right edge. */
    public Table figures(String heading) {
        columns.add(new Column(heading, true));
        return this;
    }

    /** Adds a row: one cell for each column. */
    public Table row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        rows.add(row);
        return this;
    }

    /** Prints headings and rows, without blanks at the end of a line. */
    public void print(PrintWriter out) {
        print(out, columns.stream().map(Column::heading).toList());
        for (List<String> row : rows) {
            print(out, row);
        }
        out.flush();
    }

    private void print(PrintWriter out, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            String padding = " ".repeat(width(i) - length(cell));
            line.append(i == 0 ? "" : GAP).append(columns.get(i).right() ? padding + cell : cell + padding);
        }
        out.println(line.toString().stripTrailing());
    }

    private int width(int column) {
        int width = length(columns.get(column).heading());
        for (List<String> row : rows) {
            width = Math.max(width, length(row.get(column)));
        }
        return width;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
