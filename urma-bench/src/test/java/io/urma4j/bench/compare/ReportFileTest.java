package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.bench.PredictedPackets;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportFileTest {
    private static final Row ROW = Rows.all().getFirst();
    private static final Row AT_RATE = Rows.all().stream()
            .filter(row -> row.task().isAtCommonRate())
            .findFirst()
            .map(row -> row.with(row.task().at(1200)))
            .orElseThrow();

    private static Series series(double nanos) {
        Series series = new Series();
        series.add(Sample.mean(nanos).with(Metric.P99, nanos));
        return series;
    }

    private static Report report() {
        Report report = new Report(Map.of("cpus", 2));
        report.runs(new Report.Run("compare --only shm", "2026-01-01T00:00:00Z", "0.10 0.20 0.30"));
        report.takesPart("urma4j", "1");
        report.isMissing("UCX tcp", "no network");
        report.leavesOut("iperf3");
        report.failed(ROW.name(), "Aeron did not finish: nothing came");
        report.hadNoTime("udma-fadd");
        report.add(Line.of(ROW, Names.UCX, series(10), series(15)));
        report.add(Line.of(AT_RATE, Names.AERON, series(10), series(30)));
        report.received(ROW.name(), new PredictedPackets(1_000, 999).toString());
        Map<Long, Double> points = Map.of(8L, 1.5);
        report.drew(
                "shm-read-by-size",
                new Report.Drawing(
                        "shm: READ", "µs", new LinkedHashMap<>(Map.of("urma4j", new LinkedHashMap<>(points)))));
        return report;
    }

    @Test
    void whatWasWrittenIsReadAgain() throws IOException {
        Report again = ReportFile.parse(report().json());

        assertThat(again.json()).isEqualTo(report().json());
        assertThat(again.markdown("Notes."))
                .isEqualTo(report().markdown("Notes."))
                .contains("1200/s")
                .contains(ROW.name() + ": predicted: 99.90 % of 1,000 packets received");
    }

    @Test
    void aReportOfAnEarlierVersionHasNoPackets() throws IOException {
        Report report = report();
        report.beginsAnew(ROW.name());
        String without = report.json();
        assertThat(without).contains("\"packets\" : { }");

        Report again = ReportFile.parse(without.replaceFirst("\"packets\" : \\{ },\\s*", ""));

        assertThat(again.json()).isEqualTo(without);
    }

    @Test
    void aSecondRunTakesThePlaceOfItsRowsAlone() throws IOException {
        Report again = ReportFile.parse(report().json());

        again.beginsAnew(ROW.name());
        again.add(Line.of(ROW, Names.UCX, series(10), series(40)));

        assertThat(again.lines()).extracting(Line::theirs).containsExactly(40.0, 30.0);
        assertThat(again.foot()).doesNotContain("FAILED").contains("NOT RUN, no time: udma-fadd");
    }

    @Test
    void whatIsNoReportIsRefused() {
        for (String text : List.of("", "{}", "[1]", "{\"machine\":")) {
            assertThatThrownBy(() -> ReportFile.parse(text)).as(text).isInstanceOf(IOException.class);
        }
    }
}
