package io.urma4j.bench.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.urma4j.bench.compare.Metric;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Lines that ucx_perftest 1.13.1 has printed. */
class UcxOutputTest {
    private static final String LATENCY = """
            +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
            |     Test     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
            +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
                                   10000      0.155     0.172     0.172      355.38     355.38     5822592     5822592
            """;
    private static final String RATE =
            "                      100000      0.020     0.015     0.015      525.11     525.11    68826780    68826780\n";

    @Test
    void overallRateIsTheMean() throws IOException {
        assertThat(UcxOutput.parse(LATENCY).nanos(Metric.MEAN)).isCloseTo(171.74, within(0.01));
        // the column of microseconds would say 15
        assertThat(UcxOutput.parse(RATE).nanos(Metric.MEAN)).isCloseTo(14.53, within(0.01));
    }

    @Test
    void percentileIsTheOneThatWasAskedFor() throws IOException {
        assertThat(UcxOutput.parse(LATENCY).nanos(Metric.P50)).isEqualTo(155);
    }

    @Test
    void whatIsNoTableIsToldAsItIs() {
        assertThatThrownBy(() -> UcxOutput.parse("[1] no route to host\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no route to host");
        assertThatThrownBy(() -> UcxOutput.parse("")).isInstanceOf(IOException.class);
    }
}
