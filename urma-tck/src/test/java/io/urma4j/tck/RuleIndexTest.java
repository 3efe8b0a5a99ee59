package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The conformance tests name their rules, and every rule that is implemented has one. */
class RuleIndexTest {
    private static final RuleIndex INDEX = RuleIndex.of(RuleIndex.CONTRACTS);

    /** Rules of SEMANTICS.md about what exists; the others come with what they are about. */
    private static final List<String> IMPLEMENTED = Arrays.asList("""
            S1.1 S1.2 S1.3 S1.4 S1.5 S1.6
            S2.1 S2.2 S2.3
            S3.2 S3.3 S3.4
            S4.1 S4.2 S4.3 S4.4 S4.5
            S5.1 S5.2 S5.3 S5.4 S5.5 S5.6 S5.7 S5.8 S5.9 S5.10
            S6.1 S6.2 S6.3 S6.4 S6.5 S6.6 S6.7 S6.8 S6.9 S6.10 S6.11 S6.12 S6.13
            S7.1 S7.2 S7.3 S7.4 S7.5 S7.6 S7.7 S7.8 S7.9 S7.10 S7.11 S7.12 S7.13
            S8.1 S8.2 S8.3 S8.4 S8.5 S8.6 S8.7 S8.8 S8.9 S8.10 S8.11
            S9.1 S9.2 S9.3 S9.4 S9.5
            S10.1 S10.2 S10.3 S10.4 S10.5 S10.6 S10.7 S10.8
            S11.1 S11.2 S11.3 S11.4 S11.5
            S12.1 S12.2 S12.3 S12.4 S12.5 S12.6
            S13.1 S13.2
            """.trim().split("\\s+"));

    /** The page's rules that are not built; who builds one takes it out. */
    private static final List<String> NOT_BUILT_YET = Arrays.asList("S3.1 S13.3 S13.4".split(" "));

    private static final List<String> RULES =
            RuleText.all().stream().map(RuleText::id).toList();

    @Test
    void everyImplementedRuleHasATest() {
        Set<String> missing = new TreeSet<>(IMPLEMENTED);
        missing.removeAll(INDEX.testsByRule().keySet());

        System.out.println(INDEX.toText());
        assertThat(missing).as("rules without a test").isEmpty();
    }

    @Test
    void everyRuleHasATestUnlessItIsNotBuiltYet() {
        Set<String> missing = new TreeSet<>(RULES);
        missing.removeAll(INDEX.testsByRule().keySet());
        missing.removeAll(NOT_BUILT_YET);

        assertThat(missing).as("rules of docs/semantics.md without a test").isEmpty();
    }

    @Test
    void onlyRulesOfThePageAreNamed() {
        assertThat(INDEX.testsByRule().keySet()).as("rules that tests name").isSubsetOf(RULES);
        assertThat(NOT_BUILT_YET).as("rules not built yet").isSubsetOf(RULES);
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
