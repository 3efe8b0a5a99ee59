package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.link.LinkSuite.End;
import io.urma4j.udma.link.LinkSuite.Said;
import io.urma4j.udma.udp.IoBackend;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contracts between two processes with an address each, over IPv6, and by each way of I/O: a sample, with {@code
 * -Durma.full=true} all of them.
 */
@Timeout(3600)
class OtherAddressesIT {
    private static final List<String> SAMPLE = List.of("JettiesContract");
    private static final List<String> FEW = List.of(
            "JettiesContract.connectionCarriesAllOpcodes",
            "DatagramsContract.datagramArrives",
            "NotReadyContract.deathOfThePeerEndsWhatIsUnderWay",
            "WindowsContract.takenBackWindow");

    @ParameterizedTest
    @CsvSource({"127.0.0.2, 127.0.0.3", "::1, ::1"})
    void contractsHoldBetween(String initiator, String home) throws Exception {
        List<String> filters = Boolean.getBoolean("urma.full") ? List.of() : SAMPLE;

        Said said = LinkSuite.between(new End(List.of(), initiator), new End(List.of(), home), 1, filters);

        System.out.println(
                initiator + " and " + home + ": " + said.text().lines().toList().getLast());
        assertThat(said.exitCode()).as(said.text()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void contractsHoldBy(IoBackend backend) throws Exception {
        List<String> filters = Boolean.getBoolean("urma.full") ? List.of() : FEW;
        List<String> byThisWay = List.of("env", "URMA_UDMA_IO=" + backend.name());

        Said said = LinkSuite.between(new End(byThisWay, "127.0.0.2"), new End(byThisWay, "127.0.0.3"), 1, filters);

        System.out.println(backend + ": " + said.text().lines().toList().getLast());
        assertThat(said.text()).startsWith("RoCEv2 on port ").contains(" by " + backend + "; as configured");
        assertThat(said.exitCode()).as(said.text()).isZero();
    }
}
