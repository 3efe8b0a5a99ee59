package io.urma4j.bench.compare;

import io.urma4j.tools.Plot;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A plot as SVG: that of the command line, with a legend beside it, since many curves leave no room for names among
 * them.
 */
final class Chart {
    private static final int PLOT_WIDTH = 760;
    private static final int WIDTH = 940;
    private static final int HEIGHT = 440;
    private static final int FIRST_NAME = 64;
    private static final int LINE = 24;
    private static final Pattern STROKE_OF_CURVE = Pattern.compile("<polyline [^>]*stroke=\"([^\"]*)\"");

    private Chart() {}

    static String svg(Report.Drawing drawing) {
        Plot plot = new Plot(drawing.title(), drawing.unit());
        drawing.values().values().forEach(points -> {
            List<Plot.Point> curve = points.entrySet().stream()
                    .map(point -> new Plot.Point(point.getKey(), point.getValue()))
                    .toList();
            plot.line("", curve);
        });
        String inner = plot.svg();
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"13\">%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT));
        svg.append(inner);
        Iterator<String> strokes = STROKE_OF_CURVE
                .matcher(inner)
                .results()
                .map((MatchResult curve) -> curve.group(1))
                .iterator();
        int y = FIRST_NAME;
        for (String peer : drawing.values().keySet()) {
            name(svg, y, peer, strokes.next());
            y += LINE;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void name(StringBuilder svg, int y, String peer, String stroke) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"3\"/>"
                        + "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                PLOT_WIDTH,
                y,
                PLOT_WIDTH + 20,
                y,
                stroke,
                PLOT_WIDTH + 28,
                y + 4,
                stroke,
                peer.replace("&", "&amp;").replace("<", "&lt;")));
    }
}
