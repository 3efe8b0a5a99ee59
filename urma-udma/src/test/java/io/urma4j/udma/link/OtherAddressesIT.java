package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.link.LinkSuite.End;
import io.urma4j.udma.link.LinkSuite.Said;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The contracts between two processes with an address each, and over IPv6: a sample, with {@code -Durma.full=true} all of
 * them.
 */
@Timeout(3600)
class OtherAddressesIT {
    private static final List<String> SAMPLE = List.of("JettiesContract", "WindowsContract");

    @ParameterizedTest
    @CsvSource({"127.0.0.2, 127.0.0.3", "::1, ::1"})
    void contractsHoldBetween(String initiator, String home) throws Exception {
        List<String> filters = Boolean.getBoolean("urma.full") ? List.of() : SAMPLE;

        Said said = LinkSuite.between(new End(List.of(), initiator), new End(List.of(), home), filters);

        System.out.println(
                initiator + " and " + home + ": " + said.text().lines().toList().getLast());
        assertThat(said.exitCode()).as(said.text()).isZero();
    }
}
