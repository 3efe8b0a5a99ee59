package io.urma4j.bench.compare;

import io.urma4j.bench.BufferRatios;
import io.urma4j.bench.Destination;
import io.urma4j.bench.Program;
import io.urma4j.bench.compare.GuardRatio.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program behind {@code urma-bench/guard}: ten ratios of urma4j's time by that of the least that C can do in the same
 * run, and three of registered buffers by what they are made of, each beside a recorded limit.
 */
@Command(
        name = "guard",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Check urma4j for performance regressions: ten ratios of its time to that of raw C, and three of registered"
                    + " buffers to what they are made of, in alternating pairs, each with its limit in"
                    + " urma-bench/guard.properties.",
            "",
            "A ratio fails if the whole 95 %% interval lies beyond its limit, and three times again in new processes. Ratios are"
                    + " judged only where the divisors spread by at most 15 %%, on the kind of machine of the limits, and"
                    + " printed otherwise. Exit code: 1 if one fails, 0 otherwise, 2 if it cannot measure."
        })
public final class Guard implements Callable<Integer> {
    private static final String LIMITS = "urma-bench/guard.properties";

    /** How often a row that is slower is measured again. */
    private static final int RETRIES = 3;

    private static final int RUNS_TO_RECORD = 7;

    /** Rows of one thread. Those of two processes also depend on the distance of their CPUs, so a person sets their limits. */
    private static final List<String> RECORDED = Stream.concat(
                    Stream.of("shm-write-8-rate", "shm-fadd", "shm-write-4k", "shm-write-64k"),
                    BufferRatios.NAMES.stream())
            .toList();

    @Option(names = "--quick", description = "CI mode, shorter: 7 pairs of 50 ms.")
    private boolean quick;

    @Option(
            names = "--record",
            description =
                    "Write new limits of the seven rows of one thread, a tenth above the medians of seven runs; use an idle"
                            + " machine, and review the result.")
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

    /** What is guarded beside C. */
    private static final List<String> BESIDE_C = List.of(
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

    /** The names of all ratios, in their order. */
    static List<String> names() {
        return Stream.concat(BESIDE_C.stream(), BufferRatios.NAMES.stream()).toList();
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
        Toolchain toolchain = new Toolchain(root, false);
        try {
            return record ? record(file, roundRobin, toolchain) : judge(GuardLimits.read(file), roundRobin, toolchain);
        } catch (PeerUnavailableException e) {
            throw new IOException(e.reason(), e);
        }
    }

    private static int judge(GuardLimits limits, RoundRobin roundRobin, Toolchain toolchain)
            throws IOException, InterruptedException, PeerUnavailableException {
        boolean isJudged = limits.areOf(Machine.kind());
        if (!isJudged) {
            System.out.printf(
                    "limits of %s, here are %s: printed, not judged%n",
                    limits.machine().isEmpty() ? "no kind of machine" : limits.machine(), Machine.kind());
        }
        printHeading();
        List<String> slower = new ArrayList<>();
        try (GuardPeers peers = new GuardPeers(toolchain)) {
            for (String row : names()) {
                double limit = limits.of(row);
                GuardRatio ratio = peers.measure(row, roundRobin);
                boolean isSlower = isJudged && ratio.verdict(limit) == Verdict.SLOWER;
                if (isSlower) {
                    slower.add(row);
                }
                print(row, ratio, limit, isJudged ? inWords(ratio, limit) : "not judged");
            }
        }
        int failures = 0;
        for (String row : slower) {
            failures += isSlowerAgain(row, limits.of(row), roundRobin, toolchain) ? 1 : 0;
        }
        return failures > 0 ? 1 : 0;
    }

    /** Measures a row again, each time in new processes: the same build differs from process to process by a fifth. */
    private static boolean isSlowerAgain(String row, double limit, RoundRobin roundRobin, Toolchain toolchain)
            throws IOException, InterruptedException, PeerUnavailableException {
        for (int attempt = 0; attempt < RETRIES; attempt++) {
            try (GuardPeers peers = new GuardPeers(toolchain)) {
                GuardRatio ratio = peers.measure(row, roundRobin);
                print(row, ratio, limit, inWords(ratio, limit) + ", in new processes");
                if (ratio.verdict(limit) != Verdict.SLOWER) {
                    return false;
                }
            }
        }
        return true;
    }

    private static String inWords(GuardRatio ratio, double limit) {
        return switch (ratio.verdict(limit)) {
            case OK -> "ok";
            case SLOWER -> "SLOWER";
            case UNSTEADY -> "not judged, the divisors spread too much";
        };
    }

    private static int record(Path file, RoundRobin roundRobin, Toolchain toolchain)
            throws IOException, InterruptedException, PeerUnavailableException {
        GuardLimits before = GuardLimits.read(file);
        printHeading();
        Map<String, List<GuardRatio>> found = new LinkedHashMap<>();
        for (int run = 0; run < RUNS_TO_RECORD; run++) {
            try (GuardPeers peers = new GuardPeers(toolchain)) {
                for (String row : names().stream().filter(Guard::isRecorded).toList()) {
                    GuardRatio ratio = peers.measure(row, roundRobin);
                    print(row, ratio, before.of(row), "run " + (run + 1) + " of " + RUNS_TO_RECORD);
                    found.computeIfAbsent(row, any -> new ArrayList<>()).add(ratio);
                }
            }
        }
        Map<String, Double> limits = new TreeMap<>(before.byRow());
        found.forEach((row, ratios) -> limits.put(row, GuardRatio.newLimit(ratios)));
        new GuardLimits(Machine.kind(), limits).write(file);
        System.out.println("wrote " + file);
        return 0;
    }

    static boolean isRecorded(String row) {
        return RECORDED.contains(row);
    }

    private static void printHeading() {
        System.out.printf("%-20s %9s %19s %8s %11s%n", "ratio of times", "median", "95 %", "limit", "divisors");
    }

    private static void print(String row, GuardRatio ratio, double limit, String verdict) {
        System.out.printf(
                Locale.ROOT,
                "%-20s %9.2f %9.2f–%9.2f %8.2f %9.0f %%  %s%n",
                row,
                ratio.median(),
                ratio.interval().low(),
                ratio.interval().high(),
                limit,
                100 * ratio.spread(),
                verdict);
    }
}
