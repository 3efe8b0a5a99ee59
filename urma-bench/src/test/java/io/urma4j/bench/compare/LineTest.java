package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineTest {
    private static Row row(Target... targets) {
        return new Row("r", Task.of(Work.READ, Reach.MEMORY, 8), Metric.MEAN, List.of(targets), true);
    }

    private static Series series(double... nanos) {
        Series series = new Series();
        for (double value : nanos) {
            series.add(Sample.mean(value));
        }
        return series;
    }

    @Test
    void ratiosAreMadeWithinEachRound() {
        // the machine is three times slower in the second round; the ratio of medians would be 1
        Line line = Line.of(row(Target.atMost("p", 0.6)), "p", series(10, 30, 10), series(20, 60, 10));

        assertThat(line.ratio()).isCloseTo(0.5, within(1e-9));
        assertThat(line.least()).isCloseTo(0.5, within(1e-9));
        assertThat(line.most()).isCloseTo(1, within(1e-9));
        assertThat(line.isKept()).isTrue();
        assertThat(line.verdict()).isEqualTo("ok, ahead");
    }

    @Test
    void whereWeLoseTheTableSaysSo() {
        Line missed = Line.of(row(Target.atLeast("p", 2)), "p", series(10), series(15));
        Line behind = Line.of(row(Target.atLeast("p", 0.5)), "p", series(10), series(6));
        Line free = Line.of(row(), "p", series(10), series(9));

        assertThat(missed.verdict()).isEqualTo("MISSED, ahead");
        assertThat(behind.verdict()).isEqualTo("ok, behind");
        assertThat(free.verdict()).isEqualTo("behind");
        assertThat(Report.line(missed)).contains("1.50 × its speed", "≥ 2 ×", "MISSED");
    }

    @Test
    void reportNamesWhoIsMissingAndWhoFailed() {
        Report report = new Report(Map.of("processor", "a <fast> one"));
        report.runs(new Report.Run("compare --quick", "2026-01-01T00:00:00Z", "0.00"));
        report.takesPart("urma4j", "1");
        report.isMissing("UCX", "no network");
        report.failed("r", "Aeron did not finish: nothing came");
        report.add(Line.of(row(Target.atLeast("p", 2)), "p", series(10), series(15)));

        assertThat(report.markdown("Notes."))
                .contains("compare --quick", "UCX: no network", "Aeron did not finish", "| r ");
        assertThat(report.foot()).contains("1 lines, 1 with a target: 0 hold, 1 are missed; behind in 0");
        assertThat(report.json()).contains("\"missing\"", "no network", "\"kept\" : false");
    }
}
