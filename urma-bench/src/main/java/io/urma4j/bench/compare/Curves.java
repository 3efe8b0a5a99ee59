package io.urma4j.bench.compare;

import io.urma4j.tools.Plot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Latency and bandwidth against size, a drawing for each kind of work. */
final class Curves {
    private static final int LEAST_BYTES = 8;
    private static final int MOST_BYTES = 4 << 20;

    private final Contest contest;
    private final List<Peer> peers;
    private final Report report;

    Curves(Contest contest, List<Peer> peers, Report report) {
        this.contest = contest;
        this.peers = peers;
        this.report = report;
    }

    void draw(Path folder) throws IOException, InterruptedException {
        for (Reach reach : Reach.values()) {
            for (Work work : List.of(Work.WRITE_RATE, Work.READ, Work.READ_RATE, Work.SEND_LATENCY, Work.SEND_RATE)) {
                draw(folder, reach, work);
            }
        }
    }

    private void draw(Path folder, Reach reach, Work work) throws IOException, InterruptedException {
        Map<String, List<Plot.Point>> curves = new LinkedHashMap<>();
        boolean isLatency = work == Work.READ || work == Work.SEND_LATENCY;
        for (int bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 8) {
            int size = bytes;
            DoubleUnaryOperator value = isLatency ? nanos -> nanos / 1_000 : nanos -> size * 1_000 / nanos;
            contest.play(Task.of(work, reach, bytes), peers)
                    .series()
                    .forEach((peer, series) -> curves.computeIfAbsent(peer.name(), any -> new ArrayList<>())
                            .add(new Plot.Point(size, value.applyAsDouble(series.median(Metric.MEAN)))));
        }
        if (curves.isEmpty()) {
            return;
        }
        String where = reach == Reach.MEMORY ? "shm" : "udma";
        String name =
                where + "-" + work.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + ".svg";
        Plot plot = new Plot(where + ": " + work.words("").replace("  ", " "), isLatency ? "µs" : "MB/s");
        curves.forEach(plot::line);
        Files.writeString(folder.resolve(name), plot.svg());
        report.drew(name);
        System.out.println("drew " + folder.resolve(name));
    }
}
