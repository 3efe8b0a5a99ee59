package io.urma4j.tck.run;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one run of one test.
 *
 * @param contract simple name of its class
 * @param test name of its method; of a whole contract that could not run, empty
 * @param invocation which of the runs of a parameterized test; else empty
 * @param topology where home and initiator lived; empty when it failed before that was known
 * @param rules ids of the rules that it proves
 * @param reason why it failed or was skipped; else empty
 * @param failure the exception of a failed test
 */
public record TestResult(
        String contract,
        String test,
        String invocation,
        String topology,
        List<String> rules,
        Verdict verdict,
        Duration duration,
        String reason,
        @Nullable Throwable failure) {
    /** How a test ended. */
    public enum Verdict {
        PASSED,
        FAILED,
        /** The device lacks the tested feature, or this machine cannot test it. */
        SKIPPED
    }

    /** How many of these results have this status. */
    public static long count(List<TestResult> results, Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    /** The counts as text: {@code 3 passed, 0 failed, 1 skipped}. */
    public static String counts(List<TestResult> results) {
        return count(results, Verdict.PASSED) + " passed, " + count(results, Verdict.FAILED) + " failed, "
                + count(results, Verdict.SKIPPED) + " skipped";
    }

    /** Names it with its rules, as in {@code S7.8 SegmentsContract.name [TWO_CONTEXTS]}. */
    public String title() {
        String name = test.isEmpty() ? contract : contract + "." + test;
        String which = invocation.isEmpty() ? "" : " (" + invocation + ")";
        String where = topology.isEmpty() ? "" : " [" + topology + "]";
        String what = rules.isEmpty() ? "" : String.join(", ", rules) + " ";
        return what + name + which + where;
    }
}
