package io.urma4j.bench.compare.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What iperf3 3.12 has printed, cut short. */
class IperfTest {
    private static final String OUTPUT = """
            {"end": {
              "streams": [{"sender": {"bits_per_second": 1.0}, "receiver": {"bits_per_second": 2.0}}],
              "sum_sent": {"bytes": 1131806720, "bits_per_second": 9053647985.3293056},
              "sum_received": {"start": 0, "bytes": 1131806720, "bits_per_second": 9050000000.5}
            }}
            """;

    @Test
    void whatArrivedCounts() throws IOException {
        assertThat(Iperf.receivedBitsPerSecond(OUTPUT)).isEqualTo(9050000000.5);
    }

    @Test
    void anErrorIsToldAsItIs() {
        assertThatThrownBy(() -> Iperf.receivedBitsPerSecond("{\"error\": \"the server is busy\"}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the server is busy");
    }
}
