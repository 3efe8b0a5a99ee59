package io.urma4j.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.RuleText;
import io.urma4j.tck.run.TestResult.Verdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConformancePageTest {
    private static final List<RuleText> RULES = List.of(
            new RuleText("S1.1", "Names", "1. Identities"),
            new RuleText("S1.2", "Numbers", "1. Identities"),
            new RuleText("S2.1", "Failures", "2. Status"));

    private static TestResult result(Verdict verdict, String... rules) {
        return new TestResult("A", "a", "", "LOOPBACK", List.of(rules), verdict, Duration.ZERO, "", null);
    }

    @Test
    void pageHasEachRuleWithItsTestsAndResultsPerDevice() {
        var page = new ConformancePage(RULES, Map.of("S1.1", List.of("A.a", "A.b", "B.c"), "S1.2", List.of("A.a")));
        var results = new LinkedHashMap<String, List<TestResult>>();
        results.put("x0", List.of(result(Verdict.PASSED, "S1.1", "S1.2"), result(Verdict.FAILED, "S1.1")));
        results.put("y0", List.of(result(Verdict.SKIPPED, "S1.1")));

        assertThat(page.text("the command", results))
                .contains("Made by `the command`")
                .contains("| x0 | 1 | 1 | 0 | 2 of 3 |\n| y0 | 0 | 0 | 1 | 2 of 3 |\n")
                .contains("## 1. Identities\n\n| rule | tests | x0 | y0 |\n")
                .contains("| S1.1 Names | A: a, b; B: c | **failed** 1, passed 1 | skipped 1 |\n")
                .contains("| S1.2 Numbers | A: a | passed 1 | – |\n")
                .contains("## 2. Status\n")
                .contains("| S2.1 Failures | none yet | – | – |\n");
    }
}
