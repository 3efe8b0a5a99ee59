package io.urma4j.bench.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What of the suite's output is reported, and how a process without a count ends. */
@Timeout(60)
class SuiteProcessTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    Path folder;

    private int failuresOf(String script, Duration patience) throws Exception {
        try (Report report = Report.open(folder, "contract", new PrintWriter(out))) {
            SuiteProcess.run(List.of("sh", "-c", script), patience, report);
            return report.failures();
        }
    }

    private int failuresOf(String script) throws Exception {
        return failuresOf(script, Duration.ofSeconds(30));
    }

    @Test
    void theCountIsTheLastLine() throws Exception {
        assertThat(failuresOf("echo noise; echo 'skipped a.b: no feature'; echo '216 passed, 0 failed, 4 skipped'"))
                .isZero();
        assertThat(out.toString()).isEqualTo("skipped a.b: no feature\n216 passed, 0 failed, 4 skipped\n");
    }

    @Test
    void aFailureIsReportedWithItsReason() throws Exception {
        assertThat(
                        failuresOf(
                                "echo noise; echo 'FAILED S15.10 x'; echo '    why'; echo end; echo '1 passed, 1 failed'; exit 1"))
                .isOne();
        assertThat(out.toString()).startsWith("FAILED S15.10 x\n    why\n").endsWith("FAILED urma tck, exit code 1\n");
    }

    @Test
    void aSuiteInWhichNothingPassedFails() throws Exception {
        assertThat(failuresOf("echo '0 passed, 0 failed, 220 skipped'")).isOne();
    }

    @Test
    void aCrashIsReportedWithItsLastWords() throws Exception {
        assertThat(failuresOf("echo some words; exit 134")).isOne();
        assertThat(out.toString()).isEqualTo("some words\nFAILED urma tck, exit code 134\n");
    }

    @Test
    void aSuiteThatHangsIsEnded() throws Exception {
        assertThat(failuresOf("sleep 50; echo '1 passed, 0 failed, 0 skipped'", Duration.ofMillis(200)))
                .isOne();
        assertThat(out.toString()).startsWith("FAILED urma tck, exit code 1");
    }
}
