package io.urma4j.bench.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Sample;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Lines that sockperf 3.7 has printed. */
class SockperfTest {
    private static final String OUTPUT = """
            sockperf: Test ended
            sockperf: \033[2;35m====> avg-latency=54.587 (std-dev=1581.872)\033[0m
            sockperf: Summary: Latency is 54.587 usec
            sockperf: ---> percentile 99.900 = 7601.832
            sockperf: ---> percentile 99.000 =   23.745
            sockperf: ---> percentile 90.000 =    4.441
            sockperf: ---> percentile 50.000 =    3.930
            """;

    @Test
    void figuresAreHalfTrips() throws IOException {
        Sample half = Sockperf.parse(OUTPUT, 1);
        Sample whole = Sockperf.parse(OUTPUT, 2);

        assertThat(half.nanos(Metric.MEAN)).isEqualTo(54_587);
        assertThat(half.nanos(Metric.P50)).isEqualTo(3_930);
        assertThat(whole.nanos(Metric.P99)).isEqualTo(47_490);
        assertThat(whole.nanos(Metric.P999)).isEqualTo(15_203_664);
    }

    @Test
    void whatIsNoResultIsToldAsItIs() {
        assertThatThrownBy(() -> Sockperf.parse("sockperf: ERROR: bind: Address already in use\n", 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Address already in use");
    }
}
