package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The conformance tests name their rules, and every rule of docs/semantics.md has one. */
class RuleIndexTest {
    private static final RuleIndex INDEX = RuleIndex.of(RuleIndex.CONTRACTS);

    private static final List<String> RULES =
            RuleText.all().stream().map(RuleText::id).toList();

    @Test
    void everyRuleHasATest() {
        Set<String> missing = new TreeSet<>(RULES);
        missing.removeAll(INDEX.testsByRule().keySet());

        System.out.println(INDEX.toText());
        assertThat(missing).as("rules of docs/semantics.md without a test").isEmpty();
    }

    @Test
    void onlyRulesOfThePageAreNamed() {
        assertThat(INDEX.testsByRule().keySet()).as("rules that tests name").isSubsetOf(RULES);
        assertThat(RULES).doesNotHaveDuplicates();
    }

    @Test
    void everyConformanceTestNamesItsRules() {
        List<String> silent = new ArrayList<>();
        for (Class<?> contract : RuleIndex.CONTRACTS) {
            for (Method method : contract.getDeclaredMethods()) {
                boolean test =
                        method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class);
                if (test && !method.isAnnotationPresent(Rule.class)) {
                    silent.add(contract.getSimpleName() + "." + method.getName());
                }
            }
        }

        assertThat(silent).as("tests that name no rule").isEmpty();
    }
}
