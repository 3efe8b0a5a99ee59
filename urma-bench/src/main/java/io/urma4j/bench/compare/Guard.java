package io.urma4j.bench.compare;

import io.urma4j.bench.Destination;
import io.urma4j.bench.Program;
import io.urma4j.bench.compare.RoundRobin.Outcome;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.UrmaPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program behind {@code urma-bench/guard}: ten ratios of urma4j's time by that of the least that C can do in the same
 * run, each beside a recorded limit.
 */
@Command(
        name = "guard",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Find out whether urma4j has become slower: ten ratios of its time by that of raw C, in alternating pairs,"
                    + " each beside its limit in urma-bench/guard.properties.",
            "",
            "A ratio fails when the whole 95 %% interval lies beyond its limit, twice in a row. Ends with 1 when one"
                    + " fails, 0 else, 2 when it cannot measure."
        })
public final class Guard implements Callable<Integer> {
    private static final String LIMITS = "urma-bench/guard.properties";
    private static final double MARGIN = 1.25;

    @Option(names = "--report", description = "For CI: shorter, prints the ratios, and fails for none.")
    private boolean report;

    @Option(
            names = "--record",
            description =
                    "Write new limits, a quarter beyond what is measured; for an idle machine, and to be reviewed.")
    private boolean record;

    @Option(names = "--pairs", paramLabel = "N", description = "How many pairs, at least 7; by default 9.")
    private @Nullable Integer pairs;

    @Option(names = "--millis", paramLabel = "MS", description = "Length of a turn; by default 100, or 50 to report.")
    private @Nullable Integer millis;

    @Option(names = "--help", usageHelp = true, description = "This text.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        Program.run(new Guard(), arguments);
    }

    /** What is guarded, and the peer below. */
    static List<Row> rows() {
        List<String> names = List.of(
                "shm-write-8-seen",
                "shm-write-8-rate",
                "shm-fadd",
                "shm-write-4k",
                "shm-write-64k",
                "shm-send-64-p50",
                "shm-stream-64",
                "shm-stream-4k",
                "udma-send-64-p50",
                "udma-write-64k");
        return Rows.all().stream().filter(row -> names.contains(row.name())).toList();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (millis != null && millis < 1) {
            throw new ParameterException(spec.commandLine(), "--millis " + millis + " is less than 1");
        }
        Path root = Path.of(System.getProperty("urma.root", "."));
        if (record) {
            Destination.checkFile(root.resolve(LIMITS));
        }
        Properties limits = limits(root);
        RoundRobin roundRobin = new RoundRobin(
                Math.max(7, pairs != null ? pairs : report ? 7 : 9),
                Duration.ofMillis(millis != null ? millis : report ? 50 : 100));
        List<Peer> peers = List.of(UrmaPeer.queuesAlone(), RawMemory.awake(), new RawNetwork());
        try {
            Toolchain toolchain = new Toolchain(root, false);
            for (Peer peer : peers) {
                peer.obtain(toolchain);
            }
            return guard(root, limits, roundRobin, peers);
        } catch (PeerUnavailableException e) {
            throw new IOException(e.reason(), e);
        } finally {
            peers.forEach(Peer::close);
        }
    }

    private static Properties limits(Path root) throws IOException {
        Properties limits = new Properties();
        Path file = root.resolve(LIMITS);
        if (Files.exists(file)) {
            limits.load(Files.newBufferedReader(file));
        }
        return limits;
    }

    private int guard(Path root, Properties limits, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        System.out.printf("%-20s %9s %19s %8s%n", "time by that of C", "ratio", "95 %", "limit");
        Map<String, Double> found = new LinkedHashMap<>();
        int failures = 0;
        for (Row row : rows()) {
            double limit = Double.parseDouble(limits.getProperty(row.name(), "Infinity"));
            Interval interval = measured(row, roundRobin, peers);
            String verdict = verdict(interval, limit);
            if (interval.isBeyond(limit) && !report && !record) {
                tell(row, interval, limit, verdict + ", once more");
                interval = measured(row, roundRobin, peers);
                verdict = verdict(interval, limit);
                failures += interval.isBeyond(limit) ? 1 : 0;
            }
            tell(row, interval, limit, verdict);
            found.put(row.name(), interval.high() * MARGIN);
        }
        if (record) {
            write(root.resolve(LIMITS), found);
        }
        return failures > 0 ? 1 : 0;
    }

    private static String verdict(Interval interval, double limit) {
        return interval.isBeyond(limit) ? "SLOWER" : "ok";
    }

    private static void tell(Row row, Interval interval, double limit, String verdict) {
        System.out.printf(
                Locale.ROOT,
                "%-20s %9.2f %9.2f–%9.2f %8.2f  %s%n",
                row.name(),
                interval.middle(),
                interval.low(),
                interval.high(),
                limit,
                verdict);
    }

    private static Interval measured(Row row, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        Outcome outcome = roundRobin.play(row.task(), peers);
        if (!outcome.failures().isEmpty()) {
            throw new IOException(
                    row.name() + ": " + String.join("; ", outcome.failures().values()));
        }
        List<Series> both = List.copyOf(outcome.series().values()); // urma4j first, and the one of C that can
        return Interval.of(Series.times(both.get(0), both.get(1), row.metric()));
    }

    private static void write(Path file, Map<String, Double> limits) throws IOException {
        StringBuilder text = new StringBuilder("""
            # What urma-bench/guard keeps: time of urma4j by that of raw C in the same run, at most.
            # Made anew by urma-bench/guard --record, on an idle machine; a limit that goes up wants a reason.
            """);
        limits.forEach((name, limit) -> text.append(String.format(Locale.ROOT, "%s=%.2f%n", name, limit)));
        Files.writeString(file, text);
        System.out.println("wrote " + file);
    }
}
