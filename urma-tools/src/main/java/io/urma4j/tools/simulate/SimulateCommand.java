package io.urma4j.tools.simulate;

import io.urma4j.simulation.Report;
import io.urma4j.simulation.Simulation;
import io.urma4j.simulation.Violation;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code urma simulate}: runs seeds of the simulated network, or shows one. */
@Command(
        name = "simulate",
        description = {
            "Run network cards under a simulated network that drops, duplicates, delays and corrupts packets,",
            "cuts links, and stops and restarts machines. Each seed is a separate, reproducible run.",
            "Each runs twice, with header prediction and without, and both runs must be the same."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma simulate --seeds 20000", "  urma simulate --seed 4711 --trace", "  urma simulate --minutes 10"
        },
        exitCodeList = {
            "0:no violation",
            "1:a seed showed the printed violation",
            "2:usage error",
            "130:interrupted by Ctrl-C, after the totals"
        })
public final class SimulateCommand implements Callable<Integer> {
    private static final int DEFAULT_SEEDS = 1000;
    private static final int MOST_SHOWN = 20;

    @Option(names = "--seeds", paramLabel = "N", description = "Number of seeds to run; default: 1000.")
    private @Nullable Long seeds;

    @Option(names = "--seed", paramLabel = "S", description = "First seed; alone: run only this seed.")
    private @Nullable Long first;

    @Option(names = "--minutes", paramLabel = "M", description = "Run seeds for this time.")
    private @Nullable Double minutes;

    @Option(
            names = "--prediction",
            paramLabel = "MODE",
            description = {
                "Header prediction: on, off, or both to run each seed both ways and to compare all packets, records,",
                "counters and bytes; default: both, and on with --trace."
            })
    private @Nullable Prediction prediction;

    @Option(names = "--trace", description = "Print a line for each event.")
    private boolean trace;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    private record Failure(long seed, String what) {
        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("seed", seed);
            map.put("violation", what);
            return map;
        }
    }

    /** Whether expected packets take the short way. */
    @SuppressWarnings("MemberName") // as users write them
    enum Prediction {
        on,
        off,
        both
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        long from = first == null ? 1 : first;
        long count = seeds != null ? seeds : first != null && minutes == null ? 1 : DEFAULT_SEEDS;
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--seeds must be at least 1, and is " + count);
        }
        if (minutes != null && seeds == null) {
            count = Long.MAX_VALUE;
        }
        long startNanos = System.nanoTime();
        long limitNanos = minutes == null
                ? Long.MAX_VALUE
                : (long) (minutes * Duration.ofMinutes(1).toNanos());
        Report total = Report.NOTHING;
        List<Failure> failures = new ArrayList<>();
        long done = 0;
        PrintWriter out = spec.commandLine().getOut();
        try (Progress progress = Progress.of(spec.commandLine().getErr(), "simulating")) {
            while (done < count && System.nanoTime() - startNanos < limitNanos && !isEnded(out)) {
                long seed = from + done++;
                try {
                    total = total.plus(run(seed, out));
                } catch (Violation e) {
                    failures.add(new Failure(seed, String.valueOf(e.getMessage())));
                }
                long elapsed = System.nanoTime() - startNanos;
                progress.at(minutes == null ? done : elapsed, minutes == null ? count : limitNanos);
            }
        }
        tell(done, total, failures, System.nanoTime() - startNanos);
        if (Thread.interrupted()) {
            throw new InterruptedException("by Ctrl-C");
        }
        if (!failures.isEmpty()) {
            throw new CommandFailure(failures.size() + " of " + done + " seeds have shown a violation");
        }
        return 0;
    }

    private void check() {
        if (trace && prediction == Prediction.both) {
            throw new ParameterException(spec.commandLine(), "--trace shows one run: --prediction must be on or off");
        }
        if (minutes != null && !(minutes > 0)) {
            throw new ParameterException(spec.commandLine(), "--minutes must be more than 0, and is " + minutes);
        }
    }

    /** Whether Ctrl-C ends the run, or its output has no reader. */
    private static boolean isEnded(PrintWriter out) {
        return out.checkError() || Thread.currentThread().isInterrupted();
    }

    private Report run(long seed, PrintWriter out) {
        Prediction mode = prediction == null ? (trace ? Prediction.on : Prediction.both) : prediction;
        return mode == Prediction.both
                ? Simulation.compare(seed)
                : Simulation.run(seed, mode == Prediction.on, trace ? out::println : null);
    }

    private void tell(long done, Report total, List<Failure> failures, long nanos) {
        PrintWriter out = spec.commandLine().getOut();
        if (json.isAsked()) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("seeds", done);
            all.put("violations", failures.size());
            all.put("violating", failures.stream().map(Failure::asMap).toList());
            all.put("seconds", nanos / 1e9);
            all.put("operations", total.operations());
            all.put("succeeded", total.succeeded());
            all.put("packets", total.packets());
            all.put("lost", total.lost());
            all.put("received", total.received());
            all.put("predicted", total.predicted());
            all.put("sentAtOnce", total.sentAtOnce());
            all.put("virtualSeconds", total.nanos() / 1e9);
            Json.print(out, all);
            return;
        }
        for (Failure failure : failures.subList(0, Math.min(MOST_SHOWN, failures.size()))) {
            out.printf(Locale.ROOT, "seed %d: %s%n", failure.seed, Simulation.describe(failure.seed));
            out.printf("  VIOLATION: %s%n", failure.what);
            out.printf("  replay: urma simulate --seed %d --trace%n", failure.seed);
        }
        out.printf(Locale.ROOT, "%,d seeds in %.1f s, %d violations%n%s%n", done, nanos / 1e9, failures.size(), total);
    }
}
