package io.urma4j.bench.gpu;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a class of JUnit tests, and reports a line for each test, with the reason of each that did not pass. */
final class TestClassRun implements TestExecutionListener {
    private final Report report;
    private int passed;
    private int failed;
    private int skipped;

    private TestClassRun(Report report) {
        this.report = report;
    }

    /** Runs the class of this name; that it is absent, or that no test runs, is a failure. */
    static void run(String testClass, Report report) {
        Class<?> tests;
        try {
            tests = Class.forName(testClass);
        } catch (ClassNotFoundException e) {
            report.failed(testClass + " is not on the class path");
            return;
        }
        run(tests, report);
    }

    static void run(Class<?> tests, Report report) {
        TestClassRun run = new TestClassRun(report);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .build();
        LauncherFactory.create().execute(request, run);
        if (run.passed + run.failed == 0) {
            report.failed("no test of " + tests.getSimpleName() + " ran");
        }
        report.line("%s: %d passed, %d failed, %d skipped"
                .formatted(tests.getSimpleName(), run.passed, run.failed, run.skipped));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        tellSkipped(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) { // a class is no test
                    passed++;
                    report.line("passed " + name(test));
                }
            }
            case ABORTED -> tellSkipped(test, reason(result.getThrowable()));
            case FAILED -> {
                failed++;
                report.failed(name(test) + ": " + reason(result.getThrowable()));
                result.getThrowable().ifPresent(this::tellWhere);
            }
        }
    }

    private void tellSkipped(TestIdentifier test, String reason) {
        skipped++;
        report.line("skipped " + name(test) + ": " + reason);
    }

    private static String name(TestIdentifier test) {
        return test.getDisplayName();
    }

    /** In one line: assertions say what they found in several. */
    private static String reason(Optional<Throwable> thrown) {
        return thrown.map(why -> why.toString().strip().replaceAll("\\s*\\R\\s*", " "))
                .orElse("no reason");
    }

    /** The lines of the test. */
    private void tellWhere(Throwable thrown) {
        for (StackTraceElement element : thrown.getStackTrace()) {
            if (element.getClassName().startsWith("io.urma4j.")) {
                report.line("    at " + element);
            }
        }
    }
}
