package io.urma4j.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows under headings, in columns as wide as their widest cell. On a terminal that is narrower, each row is a block: a line
 * for each heading and its cell.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final String NO_VALUE = "-";

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

    /** Prints headings and rows, without blanks at the end of a line, in the form that the terminal has room for. */
    public void print(PrintWriter out) {
        print(out, Terminal.columns());
    }

    void print(PrintWriter out, int widest) {
        if (widthOfFirst(columns.size()) <= widest) {
            printLine(out, columns.stream().map(Column::heading).toList());
            rows.forEach(row -> printLine(out, row));
        } else {
            printBlocks(out);
        }
        out.flush();
    }

    /** Prints headings and rows without the last columns, as far as the terminal has no room for them. */
    public void printFitting(PrintWriter out) {
        printFitting(out, Terminal.columns());
    }

    void printFitting(PrintWriter out, int widest) {
        int shown = columns.size();
        while (shown > 1 && widthOfFirst(shown) > widest) {
            shown--;
        }
        int end = shown;
        printLine(out, columns.stream().limit(end).map(Column::heading).toList());
        rows.forEach(row -> printLine(out, row.subList(0, end)));
        out.flush();
    }

    private int widthOfFirst(int count) {
        int width = -GAP.length();
        for (int i = 0; i < count; i++) {
            width += GAP.length() + width(i);
        }
        return width;
    }

    /** A block for each row. It leaves out figures of 0 and cells without a value, of which wide tables have most. */
    private void printBlocks(PrintWriter out) {
        int headings = columns.stream()
                .mapToInt(column -> length(column.heading()))
                .max()
                .orElse(0);
        for (int i = 0; i < rows.size(); i++) {
            if (i > 0) {
                out.println();
            }
            for (int j = 0; j < columns.size(); j++) {
                Column column = columns.get(j);
                String cell = rows.get(i).get(j);
                if (!cell.equals(NO_VALUE) && !(column.right() && cell.equals("0"))) {
                    out.println(column.heading() + " ".repeat(headings - length(column.heading())) + GAP + cell);
                }
            }
        }
    }

    private void printLine(PrintWriter out, List<String> cells) {
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
