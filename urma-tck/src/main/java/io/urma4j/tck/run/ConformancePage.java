package io.urma4j.tck.run;

import io.urma4j.tck.RuleIndex;
import io.urma4j.tck.RuleText;
import io.urma4j.tck.run.TestResult.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** docs/conformance.md: each rule, its tests, and their results on each device. Equal results give an equal page. */
public final class ConformancePage {
    private static final String NO_TEST = "none yet";

    private final List<RuleText> rules;
    private final Map<String, List<String>> testsByRule;

    ConformancePage(List<RuleText> rules, Map<String, List<String>> testsByRule) {
        this.rules = rules;
        this.testsByRule = testsByRule;
    }

    /** The page of all rules and contracts. */
    public static ConformancePage ofAllRules() {
        return new ConformancePage(
                RuleText.all(), RuleIndex.of(RuleIndex.CONTRACTS).testsByRule());
    }

    /**
     * The page's text.
     *
     * @param command the command that regenerates it
     * @param resultsByDevice the results of the whole suite, by name of the device
     */
    public String text(String command, SequencedMap<String, List<TestResult>> resultsByDevice) {
        StringBuilder page = new StringBuilder();
        page.append("# Conformance\n\n")
                .append("Each [rule](semantics.md), the tests that prove it, and what they said. Made by `")
                .append(command)
                .append("`; do not edit.\n\nA test runs within one context, between two contexts of one library, ")
                .append("between two libraries of one process, and between two\nprocesses. The number of runs stands ")
                .append("beside the result. A skipped run says that the test does not apply: only a\nprocess can be ")
                .append("killed, and a device may lack what the test is about.\n");
        page.append("\n| device | passed | failed | skipped | rules with a test |\n|---|---|---|---|---|\n");
        resultsByDevice.forEach((device, results) -> page.append("| ")
                .append(device)
                .append(" | ")
                .append(TestResult.count(results, Verdict.PASSED))
                .append(" | ")
                .append(TestResult.count(results, Verdict.FAILED))
                .append(" | ")
                .append(TestResult.count(results, Verdict.SKIPPED))
                .append(" | ")
                .append(rules.stream()
                        .filter(rule -> testsByRule.containsKey(rule.id()))
                        .count())
                .append(" of ")
                .append(rules.size())
                .append(" |\n"));
        rules.stream()
                .collect(Collectors.groupingBy(RuleText::section, LinkedHashMap::new, Collectors.toList()))
                .forEach((section, ofSection) -> appendSection(page, section, ofSection, resultsByDevice));
        return page.toString();
    }

    private void appendSection(
            StringBuilder page,
            String section,
            List<RuleText> ofSection,
            SequencedMap<String, List<TestResult>> resultsByDevice) {
        page.append("\n## ").append(section).append("\n\n| rule | tests |");
        resultsByDevice
                .keySet()
                .forEach(device -> page.append(' ').append(device).append(" |"));
        page.append("\n|---|---|").append("---|".repeat(resultsByDevice.size())).append('\n');
        for (RuleText rule : ofSection) {
            page.append("| ")
                    .append(rule.id())
                    .append(' ')
                    .append(rule.title())
                    .append(" | ")
                    .append(tests(rule.id()))
                    .append(" |");
            resultsByDevice
                    .values()
                    .forEach(results ->
                            page.append(' ').append(result(rule.id(), results)).append(" |"));
            page.append('\n');
        }
    }

    /** The tests of a rule, by contract. */
    private String tests(String rule) {
        List<String> tests = testsByRule.getOrDefault(rule, List.of());
        Map<String, List<String>> byContract = tests.stream()
                .map(test -> test.split("\\.", 2))
                .collect(Collectors.groupingBy(
                        parts -> parts[0],
                        LinkedHashMap::new,
                        Collectors.mapping(parts -> parts[1], Collectors.toList())));
        return byContract.isEmpty()
                ? NO_TEST
                : byContract.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                        .collect(Collectors.joining("; "));
    }

    private static String result(String rule, List<TestResult> results) {
        List<TestResult> ofRule =
                results.stream().filter(result -> result.rules().contains(rule)).toList();
        List<String> parts = new ArrayList<>();
        for (Verdict verdict : List.of(Verdict.FAILED, Verdict.PASSED, Verdict.SKIPPED)) {
            long count = TestResult.count(ofRule, verdict);
            if (count > 0) {
                String word = verdict == Verdict.FAILED
                        ? "**failed**"
                        : verdict.name().toLowerCase(Locale.ROOT);
                parts.add(word + " " + count);
            }
        }
        return parts.isEmpty() ? "–" : String.join(", ", parts);
    }
}
