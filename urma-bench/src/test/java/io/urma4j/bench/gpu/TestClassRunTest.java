package io.urma4j.bench.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report of a contract says about each kind of result. */
class TestClassRunTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    Path folder;

    /** One test of each kind. */
    static class Mixed {
        @Test
        void holds() {}

        @Test
        void isBroken() {
            throw new IllegalStateException("first line\n  second line");
        }

        @Test
        void lacksSomething() {
            Assumptions.abort("no such thing");
        }

        @Test
        @Disabled("not today")
        void isOff() {}
    }

    /** Its tests never begin. */
    static class Broken {
        @BeforeAll
        static void fail() {
            throw new IllegalStateException("before all");
        }

        @Test
        void neverRuns() {}
    }

    /** Has none. */
    static class Empty {}

    private int failuresOf(Class<?> tests) throws Exception {
        try (Report report = Report.open(folder, "contract", new PrintWriter(out))) {
            TestClassRun.run(tests, report);
            return report.failures();
        }
    }

    @Test
    void eachTestIsALineWithItsReason() throws Exception {
        assertThat(failuresOf(Mixed.class)).isOne();
        assertThat(out.toString())
                .contains(
                        "passed holds()\n",
                        "FAILED isBroken(): java.lang.IllegalStateException: first line second line\n    at ",
                        "skipped lacksSomething(): org.opentest4j.TestAbortedException: no such thing\n",
                        "skipped isOff(): not today\n")
                .endsWith("Mixed: 1 passed, 1 failed, 2 skipped\n");
    }

    @Test
    void aClassWhoseTestsNeverBeginFails() throws Exception {
        assertThat(failuresOf(Broken.class)).isOne();
        assertThat(out.toString()).contains("before all").endsWith("Broken: 0 passed, 1 failed, 0 skipped\n");
    }

    @Test
    void aClassWithoutTestsFails() throws Exception {
        assertThat(failuresOf(Empty.class)).isOne();
        assertThat(out.toString()).contains("FAILED no test of Empty ran\n");
    }

    @Test
    void anAbsentClassFails() throws Exception {
        try (Report report = Report.open(folder, "contract", new PrintWriter(out))) {
            TestClassRun.run("io.urma4j.Nowhere", report);
            assertThat(report.failures()).isOne();
        }
        assertThat(folder.resolve("contract.txt")).hasContent("FAILED io.urma4j.Nowhere is not on the class path");
    }
}
