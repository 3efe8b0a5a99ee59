package io.urma4j.tck.run;

import io.urma4j.tck.Contract;
import io.urma4j.tck.Rule;
import io.urma4j.tck.RuleIndex;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Tests of the contracts, chosen by words. */
public final class Selection {
    private final List<Chosen> tests;

    /** A test method, and the contract that it belongs to. */
    record Chosen(Class<? extends Contract> contract, Method method) {}

    private Selection(List<Chosen> tests) {
        this.tests = tests;
    }

    /** Every test. */
    public static Selection all() {
        return matching(List.of());
    }

    /**
     * The tests that match one of the words: the id of a rule ({@code S7.8}), of a section ({@code S7}), or a part of
     * {@code Contract.test}, in any case. No word at all: every test.
     */
    public static Selection matching(List<String> words) {
        return new Selection(RuleIndex.CONTRACTS.stream()
                .flatMap(contract -> Arrays.stream(contract.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Rule.class))
                        .filter(method -> words.isEmpty() || words.stream().anyMatch(word -> matches(method, word)))
                        .sorted(Comparator.comparing(Method::getName))
                        .map(method -> new Chosen(contract, method)))
                .toList());
    }

    private static boolean matches(Method method, String word) {
        String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        return name.toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT))
                || Arrays.stream(method.getAnnotation(Rule.class).value())
                        .anyMatch(rule -> rule.equalsIgnoreCase(word)
                                || rule.toLowerCase(Locale.ROOT).startsWith(word.toLowerCase(Locale.ROOT) + "."));
    }

    List<Chosen> tests() {
        return tests;
    }

    /** Whether the result is of one of them. */
    public boolean covers(TestResult result) {
        return tests.stream()
                .anyMatch(test -> test.contract().getSimpleName().equals(result.contract())
                        && test.method().getName().equals(result.test()));
    }

    /** How many test methods. */
    public int size() {
        return tests.size();
    }
}
