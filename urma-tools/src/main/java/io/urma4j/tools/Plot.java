package io.urma4j.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Curves over sizes, with logarithmic axes, as an SVG for light and dark pages: mid-grey axes, no background.
 */
public final class Plot {
    /** A size in bytes, and what was measured there. */
    public record Point(double sizeBytes, double value) {}

    private record Curve(String name, List<Point> points) {}

    private static final String[] COLOURS = {
        "#2f81f7", "#e3742f", "#2da44e", "#a371f7", "#d4a72c", "#db61a2", "#6e7781", "#1b7c83"
    };
    private static final String GREY = "#808080";
    private static final int WIDTH = 760;
    private static final int HEIGHT = 440;
    private static final int LEFT = 76;
    private static final int RIGHT = 24;
    private static final int TOP = 48;
    private static final int BOTTOM = 56;

    private final String title;
    private final String unit;
    private final List<Curve> curves = new ArrayList<>();

    /**
     * A plot without curves.
     *
     * @param unit of the values, as text
     */
    public Plot(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a curve; points without a value are left out, since a logarithm has no zero. */
    public Plot line(String name, List<Point> points) {
        curves.add(
                new Curve(name, points.stream().filter(point -> point.value > 0).toList()));
        return this;
    }

    /** The plot, as a complete document. */
    public String svg() {
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"12\" fill=\"%s\">%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT,
                GREY));
        text(svg, LEFT, 24, "start", "<tspan font-size=\"16\">" + escape(title) + "</tspan>");
        text(svg, LEFT, 40, "start", escape(unit));
        text(svg, WIDTH - RIGHT, HEIGHT - 12, "end", "bytes");
        sizes(svg);
        values(svg);
        for (int i = 0; i < curves.size(); i++) {
            curve(svg, curves.get(i), COLOURS[i % COLOURS.length], i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void sizes(StringBuilder svg) {
        long least = Math.round(least(true));
        long most = Math.round(most(true));
        int labels = 0;
        for (long size = Long.highestOneBit(Math.max(1, least)); size <= most; size *= 2) {
            double x = x((double) size);
            gridLine(svg, x, TOP, x, HEIGHT - BOTTOM);
            if (labels++ % 2 == 0) {
                text(svg, x, HEIGHT - BOTTOM + 18, "middle", shortBytes(size));
            }
        }
    }

    private void values(StringBuilder svg) {
        for (double value = lowest(); value <= highest() * 1.0001; value *= 10) {
            double y = y(value);
            gridLine(svg, LEFT, y, WIDTH - RIGHT, y);
            text(svg, LEFT - 8, y + 4, "end", shortNumber(value));
        }
    }

    private void curve(StringBuilder svg, Curve curve, String colour, int number) {
        StringBuilder points = new StringBuilder();
        for (Point point : curve.points) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(point.sizeBytes), y(point.value)));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n",
                colour,
                points.toString().strip()));
        for (Point point : curve.points) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s B: %s %s</title></circle>%n",
                    x(point.sizeBytes),
                    y(point.value),
                    colour,
                    shortNumber(point.sizeBytes),
                    shortNumber(point.value),
                    escape(unit)));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>%n",
                WIDTH - RIGHT,
                24 + 16 * number,
                colour,
                escape(curve.name)));
    }

    private static void gridLine(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\"0.35\"/>%n",
                x1,
                y1,
                x2,
                y2,
                GREY));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String content) {
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, content));
    }

    // ---- coordinates

    private double x(double size) {
        double least = Math.log(least(true));
        double span = Math.max(Math.log(2), Math.log(most(true)) - least);
        return LEFT + (Math.log(size) - least) / span * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        double low = Math.log10(lowest());
        double span = Math.log10(highest()) - low;
        return HEIGHT - BOTTOM - (Math.log10(value) - low) / span * (HEIGHT - TOP - BOTTOM);
    }

    /** The powers of ten around all values. */
    private double lowest() {
        return Math.pow(10, Math.floor(Math.log10(least(false))));
    }

    private double highest() {
        return Math.max(lowest() * 10, Math.pow(10, Math.ceil(Math.log10(most(false)))));
    }

    private double least(boolean size) {
        return curves.stream()
                .flatMap(curve -> curve.points.stream())
                .mapToDouble(point -> size ? point.sizeBytes : point.value)
                .min()
                .orElse(1);
    }

    private double most(boolean size) {
        return curves.stream()
                .flatMap(curve -> curve.points.stream())
                .mapToDouble(point -> size ? point.sizeBytes : point.value)
                .max()
                .orElse(1);
    }

    private static String shortBytes(long bytes) {
        return bytes >= 1 << 20 ? (bytes >> 20) + "M" : bytes >= 1 << 10 ? (bytes >> 10) + "K" : Long.toString(bytes);
    }

    private static String shortNumber(double number) {
        return number >= 1 && number == Math.rint(number)
                ? String.format(Locale.ROOT, "%.0f", number)
                : String.format(Locale.ROOT, "%.3g", number);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
