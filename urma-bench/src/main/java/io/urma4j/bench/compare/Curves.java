package io.urma4j.bench.compare;

import io.urma4j.bench.compare.RoundRobin.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Latency and bandwidth against size, a drawing for each kind of work. */
final class Curves {
    private static final int[] SIZES = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20};
    private static final List<Work> WORKS =
            List.of(Work.WRITE_SEEN, Work.WRITE_RATE, Work.READ, Work.READ_RATE, Work.SEND_LATENCY, Work.SEND_RATE);

    private final RoundRobin roundRobin;
    private final List<Peer> peers;
    private final List<Curve> curves;

    /** What one drawing shows. */
    private record Curve(Reach reach, Work work) {
        String name() {
            return prefix() + work.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-by-size";
        }

        private String prefix() {
            return reach.words() + "-";
        }

        boolean isLatency() {
            return work == Work.WRITE_SEEN || work == Work.READ || work == Work.SEND_LATENCY;
        }

        String title() {
            String words = work.words("").replace(" ,", ",").replace("  ", " ").strip();
            return reach.words() + ": " + words;
        }

        String unit() {
            return isLatency() ? "µs" : "MB/s";
        }

        Task task(int bytes) {
            return Task.of(work, reach, bytes);
        }
    }

    /** Those drawings whose names are wanted. */
    Curves(RoundRobin roundRobin, List<Peer> peers, Predicate<String> isWanted) {
        this.roundRobin = roundRobin;
        this.peers = peers;
        this.curves = all().filter(curve -> isWanted.test(curve.name())).toList();
    }

    private static Stream<Curve> all() {
        return Stream.of(Reach.MEMORY, Reach.NETWORK)
                .flatMap(reach -> WORKS.stream().map(work -> new Curve(reach, work)));
    }

    /** The names of all that there are. */
    static List<String> names() {
        return all().map(Curve::name).toList();
    }

    boolean isEmpty() {
        return curves.isEmpty();
    }

    /** Whether the peer has something to do. */
    static boolean has(Peer peer, Predicate<String> isWanted) {
        return all().anyMatch(curve ->
                isWanted.test(curve.name()) && Arrays.stream(SIZES).anyMatch(bytes -> peer.can(curve.task(bytes))));
    }

    /** About how long all take. */
    Duration expected() {
        return curves.stream().map(this::expected).reduce(Duration.ZERO, Duration::plus);
    }

    private Duration expected(Curve curve) {
        Duration all = Duration.ZERO;
        for (int bytes : SIZES) {
            all = all.plus(roundRobin.expected(curve.task(bytes), peers));
        }
        return all;
    }

    /**
     * Draws them, and writes what it has after each.
     *
     * @throws IOException when a file cannot be written
     */
    void draw(Path folder, Deadline deadline, Report report, RowRunner.Saving saving)
            throws IOException, InterruptedException {
        for (Curve curve : curves) {
            if (deadline.isTooNearFor(expected(curve))) {
                report.hadNoTime(curve.name());
                continue;
            }
            report.beginsAnew(curve.name());
            draw(folder, curve, report);
            saving.save();
        }
    }

    private void draw(Path folder, Curve curve, Report report) throws IOException, InterruptedException {
        SequencedMap<String, SequencedMap<Long, Double>> values = new LinkedHashMap<>();
        for (int bytes : SIZES) {
            DoubleUnaryOperator value = curve.isLatency() ? nanos -> nanos / 1_000 : nanos -> bytes * 1_000 / nanos;
            Outcome outcome = roundRobin.play(curve.task(bytes), peers);
            outcome.series()
                    .forEach((peer, series) -> values.computeIfAbsent(peer.name(), any -> new LinkedHashMap<>())
                            .put((long) bytes, value.applyAsDouble(series.typical())));
            outcome.failures()
                    .forEach((peer, what) ->
                            report.failed(curve.name(), bytes + " B: " + peer.name() + " did not finish: " + what));
        }
        if (values.isEmpty()) {
            return;
        }
        Report.Drawing drawing = new Report.Drawing(curve.title(), curve.unit(), values);
        report.drew(curve.name(), drawing);
        Path file = folder.resolve(curve.name() + ".svg");
        Files.writeString(file, Chart.svg(drawing));
        System.out.println("drew " + file);
    }
}
