package io.urma4j.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ReportTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aFailedCheckIsSeenAndNamedAtTheEnd() {
        var report = new Report(new PrintWriter(out), new PrintWriter(err), false);
        report.passed("one", "well");
        report.failed("two", "byte 7 is not what was written");

        assertThat(report.end()).isEqualTo(1);
        assertThat(out.toString())
                .contains("ok      one")
                .contains("FAILED  two")
                .contains("byte 7")
                .doesNotContain("checks passed");
        assertThat(err.toString()).isEqualTo("urma: 1 of 2 checks failed: two\n");
        assertThat(report.asMap(1, "shm0", "host")).containsEntry("passed", false);
    }

    @Test
    void figuresHaveARowForEachSize() {
        var report = new Report(new PrintWriter(out), new PrintWriter(err), false);
        var speed = new Figures.Speed(85, 1200, 2.0 * (1 << 30), 0);
        report.figures(new Figures(4096, speed, speed, new Figures.Speed(60, 70, 3.0 * (1 << 30), 0)));

        assertThat(report.end()).isZero();
        assertThat(out.toString()).containsPattern("4 KiB +85 ns +1.20 µs +2.0 GiB/s .* 60 ns .* 3.0 GiB/s +0 / 0 B");
    }

    @Test
    void forProgramsNothingIsPrinted() {
        var report = new Report(new PrintWriter(out), new PrintWriter(err), true);
        report.begin("something", "shm0");
        report.passed("one", "well");

        assertThat(report.end()).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(report.asMap(1, "shm0", "host")).containsEntry("passed", true);
    }
}
