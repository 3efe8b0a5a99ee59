package io.urma4j.tools.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextView;
import io.urma4j.Counters;
import io.urma4j.TransportPath;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code urma admin top} computes from two samples of the paths. */
class TopTest {
    private static final long SECOND = 1_000_000_000;

    private static TransportPath network(long number, long sent, long retransmitted) {
        Counters counters = Counters.builder()
                .add("sent", sent)
                .add("received", 10)
                .add("retransmitted", retransmitted)
                .add("window", 24)
                .add("inFlight", 7)
                .add("rttNanos", 123_456)
                .build();
        return new TransportPath(number, "::ffff:127.0.0.1/5", "pid 7", "READY", counters);
    }

    private static TransportPath sharedMemory(long sent, long ringFull) {
        Counters counters = Counters.builder()
                .add("sent", sent)
                .add("received", 0)
                .add("ringFull", ringFull)
                .build();
        return new TransportPath(1, "10.0.0.1/6", "unknown", "READY", counters);
    }

    private static List<PathSample> looked(String device, long atNanos, TransportPath... paths) {
        var resources = List.of(paths).stream().map(TransportPath::toResource).toList();
        return PathSample.of(device, List.of(new ContextView(3, 42, "pid 9", resources, "")), atNanos);
    }

    private static String printed(List<PathRate> rates, int most) {
        var text = new StringWriter();
        TopTables.print(new PrintWriter(text), rates, most);
        return text.toString();
    }

    @Test
    void countersAreShownPerSecondAndTheRestAsItIs() {
        var rates = PathRate.between(
                looked("udma0", 0, network(8_388_608, 1000, 10)),
                looked("udma0", 2 * SECOND, network(8_388_608, 1400, 30)));

        assertThat(printed(rates, 20)).isEqualTo("""

                udma0
                pid  peer         tx/s  rx/s  rexmit/s  rexmit%  rtt_us  window  flight  tmo/s  spur/s  gap/s  rnr/s  nak/s  cnp/s      tpn
                  9  127.0.0.1/5   200     0        10        5     123      24       7      0       0      0      0      0      0  8388608
                """);
    }

    @Test
    void pathsOfSharedMemoryHaveColumnsOfTheirOwn() {
        var rates =
                PathRate.between(looked("shm0", 0, sharedMemory(0, 0)), looked("shm0", SECOND, sharedMemory(50, 3)));

        assertThat(printed(rates, 20)).isEqualTo("""

                shm0
                pid  peer        tx/s  rx/s  full/s  wake/s  flight  slots_tx/s  slots_rx/s  tpn
                  9  10.0.0.1/6    50     0       3       0       0           0           0    1
                """);
    }

    @Test
    void theBusiestPathsComeFirstAndTheOthersAreCounted() {
        var rates = PathRate.between(
                looked("udma0", 0, network(1, 0, 0), network(2, 0, 0), network(3, 0, 0)),
                looked("udma0", SECOND, network(1, 5, 0), network(2, 500, 0), network(3, 50, 0)));

        assertThat(rates).extracting(rate -> rate.to().path().id()).containsExactly(2L, 3L, 1L);
        assertThat(printed(rates, 2)).endsWith("\nand 1 path that is less busy\n");
    }

    @Test
    void aPathThatWasNotThereBeforeIsShownFromTheNextLookOn() {
        var rates = PathRate.between(
                looked("udma0", 0, network(1, 0, 0)), looked("udma0", SECOND, network(1, 5, 0), network(2, 9, 0)));

        assertThat(rates).extracting(rate -> rate.to().path().id()).containsExactly(1L);
    }

    @Test
    void programsGetAllCountersPerSecond() {
        var rates = PathRate.between(
                looked("udma0", 0, network(1, 1000, 10)), looked("udma0", 2 * SECOND, network(1, 1400, 13)));

        var map = rates.getFirst().asMap();

        assertThat(map)
                .containsEntry("device", "udma0")
                .containsEntry("process", "pid 9")
                .containsEntry("tpn", 1L)
                .containsEntry("peer", "::ffff:127.0.0.1/5")
                .containsEntry("window", 24L)
                .containsEntry("rttNanos", 123_456L)
                .containsEntry("seconds", 2.0);
        assertThat(map.get("per_second"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("sent", 200.0)
                .containsEntry("retransmitted", 1.5)
                .doesNotContainKeys("tpn", "window");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.04, 0", "0.26, 0.3", "12, 12", "99.94, 99.9", "99.96, 100", "123456.7, 123457", "-0.3, -0.3"
    })
    void ratesAreWholeNumbersWhereTheyAreLarge(double value, String text) {
        assertThat(TopTables.rate(value)).isEqualTo(text);
    }
}
