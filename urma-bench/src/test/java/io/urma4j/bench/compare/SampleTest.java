package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.bench.PredictedPackets;
import org.junit.jupiter.api.Test;

class SampleTest {
    @Test
    void figuresAreReadFromALineOfOthers() {
        Sample sample = Sample.parse("operations=17 spent=4 mean=25.10 p50=24.00 p999=1077.25\n");

        assertThat(sample.nanos(Metric.MEAN)).isEqualTo(25.10);
        assertThat(sample.nanos(Metric.P50)).isEqualTo(24);
        assertThat(sample.nanos(Metric.P999)).isEqualTo(1077.25);
        assertThat(sample.has(Metric.P99)).isFalse();
        assertThat(Sample.parse(sample.toString()).toString()).isEqualTo(sample.toString());
    }

    @Test
    void aSeriesAddsThePacketsOfItsSamples() {
        Series series = new Series();
        series.add(Sample.mean(1).with(new PredictedPackets(200, 199)));
        series.add(Sample.mean(2));
        series.add(Sample.mean(3).with(new PredictedPackets(800, 700).minus(new PredictedPackets(600, 500))));

        assertThat(series.packets()).isEqualTo(new PredictedPackets(400, 399));
        assertThat(series.packets()).hasToString("predicted: 99.75 % of 400 packets received");
    }

    @Test
    void whatCannotBeARatioIsRefused() {
        assertThatThrownBy(() -> Sample.parse("Killed")).hasMessageContaining("Killed");
        assertThatThrownBy(() -> Sample.parse("mean=0")).hasMessageContaining("MEAN");
        assertThatThrownBy(() -> Sample.parse("mean=NaN")).hasMessageContaining("MEAN");
        assertThatThrownBy(() -> Sample.parse("p50=-3")).hasMessageContaining("P50");
    }
}
