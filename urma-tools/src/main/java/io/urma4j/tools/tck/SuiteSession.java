package io.urma4j.tools.tck;

import io.urma4j.Urma;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Seed;
import io.urma4j.tck.run.ConformancePage;
import io.urma4j.tck.run.Selection;
import io.urma4j.tck.run.SuiteRun;
import io.urma4j.tck.run.TestResult;
import io.urma4j.tck.run.TestResult.Verdict;
import io.urma4j.tools.Json;
import io.urma4j.tools.OutputFile;
import io.urma4j.tools.Progress;
import io.urma4j.tools.Session;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Runs the suite on devices, one after the other, and reports the results. Loaded only where the suite is present. */
final class SuiteSession {
    private final List<String> devices;
    private final List<String> filters;
    private final PrintWriter out;
    private final PrintWriter err;
    private final CommandLine command;

    SuiteSession(List<String> devices, List<String> filters, CommandLine command) {
        this.devices = devices.stream().distinct().toList();
        this.filters = filters;
        this.command = command;
        this.out = command.getOut();
        this.err = command.getErr();
    }

    /** The exit code: 0 when no test failed, else 1. */
    int run(boolean json, @Nullable Path report) throws IOException {
        Selection selection = Selection.matching(filters);
        if (selection.size() == 0) {
            throw new CommandLine.ParameterException(
                    command,
                    "no test matches " + String.join(", ", filters)
                            + "; a filter is a rule (S7.8), a section (S7) or a part of Contract.test");
        }
        devices.forEach(SuiteSession::checkDevice);
        if (report == null) {
            return tell(runAll(selection, json), json);
        }
        try (OutputFile page = OutputFile.create(report)) { // before the run, which takes minutes
            SequencedMap<String, List<TestResult>> results = runAll(selection, json);
            page.write(ConformancePage.ofAllRules().text(commandLine(report), results));
            page.commit();
            return tell(results, json);
        }
    }

    private SequencedMap<String, List<TestResult>> runAll(Selection selection, boolean json) {
        SequencedMap<String, List<TestResult>> results = new LinkedHashMap<>();
        for (String device : devices) {
            results.put(device, run(device, selection, json));
        }
        return results;
    }

    private int tell(SequencedMap<String, List<TestResult>> results, boolean json) {
        List<TestResult> all = results.values().stream().flatMap(List::stream).toList();
        if (json) {
            Json.print(out, asMap(results, all));
        } else {
            tellSkipped(all);
            out.println(TestResult.counts(all));
            out.flush();
        }
        return TestResult.count(all, Verdict.FAILED) == 0 ? 0 : 1;
    }

    /** Fails at once, with the reasons, if a device is absent, instead of a thousand failed tests. */
    private static void checkDevice(String name) {
        try (Urma urma = Urma.open()) {
            Session.device(urma, name);
        }
    }

    private List<TestResult> run(String device, Selection selection, boolean json) {
        SuiteRun suite = new SuiteRun(device, selection);
        PrintStream stdout = System.out;
        System.setOut(System.err); // stdout is for results; a test may print what it likes
        Handler[] handlers = Logger.getLogger("").getHandlers();
        for (Handler handler : handlers) {
            Logger.getLogger("").removeHandler(handler); // tests provoke all kinds of warnings
        }
        Set<String> done = new HashSet<>(); // a parameterized test comes many times
        try (Progress progress = Progress.of(err, "testing " + device)) {
            return suite.run(result -> {
                done.add(result.contract() + result.test() + result.topology());
                progress.at(Math.min(done.size(), suite.plannedTests()), suite.plannedTests());
                if (result.verdict() == Verdict.FAILED) {
                    progress.hide();
                    printBetweenTests(json ? err : out, describe(device, result));
                }
            });
        } finally {
            System.setOut(stdout);
            for (Handler handler : handlers) {
                Logger.getLogger("").addHandler(handler);
            }
        }
    }

    /** A closed standard output interrupts this thread, which would fail the next test. The report is still written. */
    private static void printBetweenTests(PrintWriter to, String text) {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        to.println(text);
        to.flush();
        if (!wasInterrupted && to.checkError()) {
            var _ = Thread.interrupted(); // the command fails at its end all the same
        }
    }

    private static String describe(String device, TestResult failed) {
        String reason = failed.reason().lines().map(line -> "    " + line).collect(Collectors.joining("\n"));
        return "FAILED " + failed.title() + "\n" + reason + where(failed.failure()) + "\n    again: urma tck --device "
                + device + patience() + " --seed " + Seed.OF_RUN + " --filter " + failed.contract() + "."
                + failed.test();
    }

    private static String patience() {
        return Patience.FACTOR == 1 ? "" : " --patience " + Patience.FACTOR;
    }

    /** The line of the test at which it failed. */
    private static String where(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        for (StackTraceElement element : failure.getStackTrace()) {
            if (element.getClassName().startsWith("io.urma4j.tck.")
                    && element.getClassName().endsWith("Contract")) {
                return "\n    at " + element.getFileName() + ":" + element.getLineNumber();
            }
        }
        return "";
    }

    /** Prints the skipped tests, by reason. */
    private void tellSkipped(List<TestResult> all) {
        Map<String, List<TestResult>> byReason = all.stream()
                .filter(result -> result.verdict() == Verdict.SKIPPED)
                .collect(Collectors.groupingBy(TestResult::reason, TreeMap::new, Collectors.toList()));
        byReason.forEach((reason, results) -> out.println("skipped "
                + results.stream()
                        .map(result -> result.contract() + "." + result.test())
                        .distinct()
                        .collect(Collectors.joining(", "))
                + ": " + reason));
    }

    private String commandLine(Path report) {
        return "./urma tck"
                + devices.stream().map(device -> " --device " + device).collect(Collectors.joining())
                + " --write-report " + report;
    }

    private static Map<String, Object> asMap(SequencedMap<String, List<TestResult>> results, List<TestResult> all) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("seed", Seed.OF_RUN);
        map.put("passed", TestResult.count(all, Verdict.PASSED));
        map.put("failed", TestResult.count(all, Verdict.FAILED));
        map.put("skipped", TestResult.count(all, Verdict.SKIPPED));
        map.put(
                "tests",
                results.entrySet().stream()
                        .flatMap(entry -> entry.getValue().stream().map(result -> asMap(entry.getKey(), result)))
                        .toList());
        return map;
    }

    private static Map<String, Object> asMap(String device, TestResult result) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", device);
        map.put("contract", result.contract());
        map.put("test", result.test());
        map.put("invocation", result.invocation());
        map.put("topology", result.topology());
        map.put("rules", result.rules());
        map.put("verdict", result.verdict());
        map.put("millis", result.duration().toMillis());
        map.put("reason", result.reason());
        return map;
    }
}
