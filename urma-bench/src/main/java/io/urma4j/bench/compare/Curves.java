package io.urma4j.bench.compare;

import io.urma4j.bench.compare.Contest.Outcome;
import io.urma4j.tools.Plot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.DoubleUnaryOperator;

/** Latency and bandwidth against size, a drawing for each kind of work. */
final class Curves {
    private static final int[] SIZES = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20};

    private final Contest contest;
    private final List<Peer> peers;
    private final Report report;

    Curves(Contest contest, List<Peer> peers, Report report) {
        this.contest = contest;
        this.peers = peers;
        this.report = report;
    }

    /**
     * Draws those whose names begin with one of these; none when there are none.
     *
     * @throws IOException when a file cannot be written
     */
    void draw(Path folder, List<String> wanted) throws IOException, InterruptedException {
        for (Reach reach : Reach.values()) {
            for (Work work : List.of(Work.WRITE_RATE, Work.READ, Work.READ_RATE, Work.SEND_LATENCY, Work.SEND_RATE)) {
                String name = name(reach, work);
                if (wanted.stream().anyMatch(name::startsWith)) {
                    draw(folder, name, reach, work);
                }
            }
        }
    }

    private static String name(Reach reach, Work work) {
        return (reach == Reach.MEMORY ? "shm-" : "udma-")
                + work.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void draw(Path folder, String name, Reach reach, Work work) throws IOException, InterruptedException {
        SequencedMap<String, List<Plot.Point>> curves = new LinkedHashMap<>();
        boolean isLatency = work == Work.READ || work == Work.SEND_LATENCY;
        for (int bytes : SIZES) {
            DoubleUnaryOperator value = isLatency ? nanos -> nanos / 1_000 : nanos -> bytes * 1_000 / nanos;
            Outcome outcome = contest.play(Task.of(work, reach, bytes), peers);
            outcome.series()
                    .forEach((peer, series) -> curves.computeIfAbsent(peer.name(), any -> new ArrayList<>())
                            .add(new Plot.Point(bytes, value.applyAsDouble(series.median(Metric.MEAN)))));
            outcome.failures().forEach((peer, what) -> report.failed(name + " of " + bytes + " B", peer.name(), what));
        }
        if (curves.isEmpty()) {
            return;
        }
        String unit = isLatency ? "µs" : "MB/s";
        Plot plot = new Plot(
                (reach == Reach.MEMORY ? "shm: " : "udma: ")
                        + work.words("").replace(" ,", ",").replace("  ", " "),
                unit);
        curves.forEach(plot::line);
        Files.writeString(folder.resolve(name + ".svg"), plot.svg());
        report.drew(name, unit, curves);
        System.out.println("drew " + folder.resolve(name + ".svg"));
    }
}
