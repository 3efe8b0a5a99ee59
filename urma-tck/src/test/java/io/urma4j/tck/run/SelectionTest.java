package io.urma4j.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionTest {
    private static List<String> rules(Selection.Chosen test) {
        return List.of(test.method().getAnnotation(Rule.class).value());
    }

    @Test
    void ruleSelectsItsTestsAndNoOthers() {
        assertThat(Selection.matching(List.of("S1.1")).tests())
                .isNotEmpty()
                .allMatch(test -> rules(test).contains("S1.1")); // and not those of S1.10, were there one
    }

    @Test
    void sectionSelectsAllOfItsRules() {
        assertThat(Selection.matching(List.of("s1")).tests())
                .isNotEmpty()
                .allMatch(test -> rules(test).stream().anyMatch(rule -> rule.startsWith("S1.")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RevocationContract", "revocationcontract.", "vocationCont"})
    void partOfANameSelects(String word) {
        assertThat(Selection.matching(List.of(word)).tests())
                .isNotEmpty()
                .allMatch(test -> test.contract().getSimpleName().equals("RevocationContract"));
    }

    @Test
    void resultsOfItsTestsAreCovered() {
        Selection chosen = Selection.matching(List.of("S1.1"));
        Selection.Chosen test = chosen.tests().getFirst();
        TestResult of = result(test.contract().getSimpleName(), test.method().getName());

        assertThat(chosen.covers(of)).isTrue();
        assertThat(chosen.covers(result(of.contract(), "anotherTest"))).isFalse();
        assertThat(chosen.covers(result("AnotherContract", of.test()))).isFalse();
    }

    private static TestResult result(String contract, String test) {
        return new TestResult(contract, test, "", "", List.of(), TestResult.Verdict.PASSED, Duration.ZERO, "", null);
    }

    @Test
    void severalWordsSelectWhatAnyOfThemDoes() {
        int one = Selection.matching(List.of("S1.1")).size();
        int other = Selection.matching(List.of("S9.2")).size();

        assertThat(Selection.matching(List.of("S1.1", "S9.2")).size()).isBetween(Math.max(one, other) + 1, one + other);
        assertThat(Selection.matching(List.of("nothingOfThatName")).size()).isZero();
        assertThat(Selection.all().size()).isGreaterThan(100);
    }
}
