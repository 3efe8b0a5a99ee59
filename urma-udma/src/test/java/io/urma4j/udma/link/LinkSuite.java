package io.urma4j.udma.link;

import io.urma4j.Urma;
import io.urma4j.tck.Patience;
import io.urma4j.tck.run.Selection;
import io.urma4j.tck.run.SuiteRun;
import io.urma4j.tck.run.TestResult;
import io.urma4j.tck.run.TestResult.Verdict;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The contracts that the arguments name, between this process and homes in others; the first line tells the way of the
 * packets, the last ones count. An argument that no test ran for is a failure: a contract may have another name by now.
 */
final class LinkSuite {
    private LinkSuite() {}

    /** Where one end lives: what to put before a command that runs there, and the address of its device. */
    record End(List<String> launcher, String address) {
        private Stream<String> words() {
            return Stream.concat(launcher.stream(), Stream.of("env", "URMA_UDMA_ADDRESSES=" + address));
        }
    }

    /** What a run in a process of its own said. */
    record Said(int exitCode, String text) {}

    /**
     * Runs it in a process at one end, with its homes at the other.
     *
     * @param patience how many times as long as usual its tests wait
     */
    static Said between(End initiator, End home, int patience, List<String> filters)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(initiator.words().toList());
        command.addAll(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-ea",
                "-D" + Patience.PROPERTY + "=" + patience,
                "-Durma.tck.home.launcher=" + String.join(" ", home.words().toList()),
                "-cp",
                System.getProperty("java.class.path"),
                LinkSuite.class.getName()));
        command.addAll(filters);
        Process suite = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(suite.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(suite.waitFor(), text);
    }

    public static void main(String[] filters) {
        try (Urma urma = Urma.open()) {
            System.out.println(urma.device("udma0").attributes().ioPath());
        }
        List<TestResult> results = SuiteRun.acrossProcesses("udma0", Selection.matching(List.of(filters)))
                .run(LinkSuite::tell);
        List<String> idle = idle(List.of(filters), results);
        idle.forEach(filter -> System.out.println("no test ran for " + filter));
        results.stream()
                .collect(Collectors.groupingBy(TestResult::contract, TreeMap::new, Collectors.toList()))
                .forEach((contract, some) -> System.out.println(contract + ": " + TestResult.counts(some) + " in "
                        + some.stream()
                                .map(TestResult::duration)
                                .reduce(Duration.ZERO, Duration::plus)
                                .toSeconds()
                        + " s"));
        System.out.println(TestResult.counts(results));
        System.out.flush();
        boolean isGood = TestResult.count(results, Verdict.FAILED) == 0 && idle.isEmpty();
        Runtime.getRuntime().halt(isGood ? 0 : 1);
    }

    /** Those of the filters that no test ran for; without filters, whether none ran at all. */
    static List<String> idle(List<String> filters, List<TestResult> results) {
        List<TestResult> ran = results.stream()
                .filter(result -> result.verdict() != Verdict.SKIPPED)
                .toList();
        if (filters.isEmpty()) {
            return ran.isEmpty() ? List.of("everything") : List.of();
        }
        return filters.stream()
                .filter(filter -> ran.stream().noneMatch(Selection.matching(List.of(filter))::covers))
                .toList();
    }

    private static void tell(TestResult result) {
        System.out.println(result.verdict() + " " + result.title() + " in "
                + result.duration().toMillis() + " ms "
                + result.reason().lines().limit(6).toList());
    }
}
