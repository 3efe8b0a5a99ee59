package io.urma4j.tck.run;

import io.urma4j.tck.Rule;
import io.urma4j.tck.Topology;
import io.urma4j.tck.run.TestResult.Verdict;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Converts JUnit's reports into results. JUnit runs our tests one after the other, on one thread. */
final class ResultCollector implements TestExecutionListener {
    /** JUnit's prefix of the reason of a test that does not apply. */
    private static final String ASSUMPTION = "Assumption failed: ";

    private final Consumer<TestResult> results;
    private final Map<String, Long> startNanos = new HashMap<>();
    private @Nullable TestPlan plan;

    ResultCollector(Consumer<TestResult> results) {
        this.results = results;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public void executionStarted(TestIdentifier identifier) {
        startNanos.put(identifier.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        add(identifier, Verdict.SKIPPED, reason, null);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        Throwable failure = result.getThrowable().orElse(null);
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (identifier.isTest()) {
                    add(identifier, Verdict.PASSED, "", null);
                }
            }
            case ABORTED -> add(identifier, Verdict.SKIPPED, reason(failure), null);
            case FAILED -> add(identifier, Verdict.FAILED, reason(failure), failure);
        }
    }

    private static String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "it did not say why";
        }
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.toString();
        }
        return message.startsWith(ASSUMPTION) ? message.substring(ASSUMPTION.length()) : message.strip();
    }

    private void add(TestIdentifier identifier, Verdict verdict, String reason, @Nullable Throwable failure) {
        Long start = startNanos.remove(identifier.getUniqueId());
        Duration duration = Duration.ofNanos(start == null ? 0 : System.nanoTime() - start);
        Optional<Method> method = method(identifier);
        results.accept(new TestResult(
                contract(identifier),
                method.map(Method::getName).orElse(""),
                invocation(identifier, method),
                topology(identifier),
                method.map(m -> List.of(m.getAnnotation(Rule.class).value())).orElse(List.of()),
                verdict,
                duration,
                reason,
                failure));
    }

    private static Optional<Method> method(TestIdentifier identifier) {
        return identifier
                .getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getJavaMethod());
    }

    /** Which run of a parameterized test: what JUnit calls it, as it calls others by their method alone. */
    private static String invocation(TestIdentifier identifier, Optional<Method> method) {
        String shown = identifier.getDisplayName();
        return method.isEmpty() || shown.startsWith(method.get().getName() + "(") ? "" : shown;
    }

    private String contract(TestIdentifier identifier) {
        for (TestIdentifier at = identifier; at != null; at = parent(at)) {
            if (at.getSource().orElse(null) instanceof ClassSource source) {
                return source.getJavaClass().getSuperclass().getSimpleName();
            }
        }
        return identifier.getDisplayName();
    }

    /** JUnit shows the topology in the name of the class's run. */
    private String topology(TestIdentifier identifier) {
        for (TestIdentifier at = identifier; at != null; at = parent(at)) {
            String shown = at.getDisplayName();
            Optional<Topology> topology = Arrays.stream(Topology.values())
                    .filter(any -> shown.endsWith(any.name()))
                    .findFirst();
            if (topology.isPresent() && method(at).isEmpty()) {
                return topology.get().name();
            }
        }
        return "";
    }

    private @Nullable TestIdentifier parent(TestIdentifier identifier) {
        return plan == null ? null : plan.getParent(identifier).orElse(null);
    }
}
