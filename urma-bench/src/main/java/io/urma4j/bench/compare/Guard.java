package io.urma4j.bench.compare;

import io.urma4j.bench.Destination;
import io.urma4j.bench.Program;
import io.urma4j.bench.compare.GuardRatio.Verdict;
import io.urma4j.bench.compare.RoundRobin.Outcome;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.UrmaPeer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
            "Check urma4j for performance regressions: ten ratios of its time to that of raw C, in "
                    + "alternating pairs, each with its limit in urma-bench/guard.properties.",
            "",
            "A ratio fails if the whole 95 %% interval lies beyond its limit, twice in a row. Ratios are judged only where C's"
                    + " own times spread by at most 15 %%, on the kind of machine of the limits, and printed otherwise. Exit"
                    + " code: 1 if one fails, 0 otherwise, 2 if it cannot measure."
        })
public final class Guard implements Callable<Integer> {
    private static final String LIMITS = "urma-bench/guard.properties";
    private static final int TRIES_TO_RECORD = 5;

    @Option(names = "--quick", description = "CI mode, shorter: 7 pairs of 50 ms.")
    private boolean quick;

    @Option(
            names = "--record",
            description = "Write new limits, a tenth above the medians; use an idle machine, and review the result.")
    private boolean record;

    @Option(names = "--pairs", paramLabel = "N", description = "Number of pairs, at least 7; default: 9.")
    private @Nullable Integer pairs;

    @Option(names = "--millis", paramLabel = "MS", description = "Length of a turn; default: 100.")
    private @Nullable Integer millis;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
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
        Path file = root.resolve(LIMITS);
        if (record) {
            Destination.checkFile(file);
        }
        RoundRobin roundRobin = new RoundRobin(
                Math.max(7, pairs != null ? pairs : quick ? 7 : 9),
                Duration.ofMillis(millis != null ? millis : quick ? 50 : 100));
        List<Peer> peers = List.of(UrmaPeer.queuesAlone(), RawMemory.awake(), new RawNetwork());
        try {
            Toolchain toolchain = new Toolchain(root, false);
            for (Peer peer : peers) {
                peer.obtain(toolchain);
            }
            return record ? record(file, roundRobin, peers) : judge(GuardLimits.read(file), roundRobin, peers);
        } catch (PeerUnavailableException e) {
            throw new IOException(e.reason(), e);
        } finally {
            peers.forEach(Peer::close);
        }
    }

    private static int judge(GuardLimits limits, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        boolean isJudged = limits.areOf(Machine.kind());
        if (!isJudged) {
            System.out.printf(
                    "limits of %s, here are %s: printed, not judged%n",
                    limits.machine().isEmpty() ? "no kind of machine" : limits.machine(), Machine.kind());
        }
        printHeading();
        int failures = 0;
        for (Row row : rows()) {
            double limit = limits.of(row);
            GuardRatio ratio = measured(row, roundRobin, peers);
            if (isJudged && ratio.verdict(limit) == Verdict.SLOWER) {
                print(row, ratio, limit, "SLOWER, once more");
                ratio = measured(row, roundRobin, peers);
            }
            failures += isJudged && ratio.verdict(limit) == Verdict.SLOWER ? 1 : 0;
            print(row, ratio, limit, isJudged ? inWords(ratio, limit) : "not judged");
        }
        return failures > 0 ? 1 : 0;
    }

    private static String inWords(GuardRatio ratio, double limit) {
        return switch (ratio.verdict(limit)) {
            case OK -> "ok";
            case SLOWER -> "SLOWER";
            case UNSTEADY -> "not judged, C's times spread too much";
        };
    }

    private static int record(Path file, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        printHeading();
        Map<String, Double> found = new LinkedHashMap<>();
        for (Row row : rows()) {
            GuardRatio ratio = steady(row, roundRobin, peers);
            print(row, ratio, ratio.newLimit(), "recorded");
            found.put(row.name(), ratio.newLimit());
        }
        new GuardLimits(Machine.kind(), found).write(file);
        System.out.println("wrote " + file);
        return 0;
    }

    private static GuardRatio steady(Row row, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            GuardRatio ratio = measured(row, roundRobin, peers);
            if (ratio.isSteady()) {
                return ratio;
            }
            print(row, ratio, ratio.newLimit(), "C's times spread too much, once more");
            if (attempt == TRIES_TO_RECORD) {
                throw new IOException(String.format(
                        Locale.ROOT,
                        "%s: C's times spread by %.0f %% in the last of %d measurements, %.0f %% is the most:"
                                + " the machine is not idle, and nothing was recorded",
                        row.name(),
                        100 * ratio.spread(),
                        attempt,
                        100 * GuardRatio.MOST_SPREAD));
            }
        }
    }

    private static void printHeading() {
        System.out.printf("%-20s %9s %19s %8s %11s%n", "time by that of C", "median", "95 %", "limit", "spread of C");
    }

    private static void print(Row row, GuardRatio ratio, double limit, String verdict) {
        System.out.printf(
                Locale.ROOT,
                "%-20s %9.2f %9.2f–%9.2f %8.2f %9.0f %%  %s%n",
                row.name(),
                ratio.median(),
                ratio.interval().low(),
                ratio.interval().high(),
                limit,
                100 * ratio.spread(),
                verdict);
    }

    private static GuardRatio measured(Row row, RoundRobin roundRobin, List<Peer> peers)
            throws IOException, InterruptedException {
        Outcome outcome = roundRobin.play(row.task(), peers);
        if (!outcome.failures().isEmpty()) {
            throw new IOException(
                    row.name() + ": " + String.join("; ", outcome.failures().values()));
        }
        List<Series> both = List.copyOf(outcome.series().values()); // urma4j first, and the one of C that can
        return GuardRatio.of(both.get(0).nanos(row.metric()), both.get(1).nanos(row.metric()));
    }
}
