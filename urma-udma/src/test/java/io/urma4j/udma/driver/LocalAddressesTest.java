package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where there are devices on machines that this one is not. */
class LocalAddressesTest {
    private static final InetAddress LINK_OF_IPV4 = InetAddress.ofLiteral("169.254.7.7");
    private static final InetAddress LINK_OF_IPV6 = InetAddress.ofLiteral("fe80::1");
    private static final InetAddress IPV4 = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress IPV6 = InetAddress.ofLiteral("2001:db8::1");

    @Test
    void ipv4IsPreferredWhereverItStands() {
        InetAddress later = InetAddress.ofLiteral("192.0.2.2");

        assertThat(LocalAddresses.choose(List.of(LINK_OF_IPV6, IPV6, LINK_OF_IPV4, IPV4, later)))
                .isEqualTo(IPV4);
    }

    @Test
    void aMachineOfIpv6AloneHasItsDeviceThere() throws Exception {
        InetAddress withScope = Inet6Address.getByAddress(null, IPV6.getAddress(), 3);

        InetAddress chosen = LocalAddresses.choose(List.of(LINK_OF_IPV6, LINK_OF_IPV4, withScope));

        assertThat(chosen).isEqualTo(IPV6);
        assertThat(chosen.getHostAddress()).as("without an interface").doesNotContain("%");
    }

    @Test
    void whereNobodyCanBeReachedItIsTheLoopback() {
        assertThat(LocalAddresses.choose(List.of())).isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
        assertThat(LocalAddresses.choose(List.of(LINK_OF_IPV6, LINK_OF_IPV4)).isLoopbackAddress())
                .isTrue();
    }

    @Test
    void whatIsNamedIsTakenInItsOrder() {
        UrmaOptions options = UrmaOptions.DEFAULT.withSetting(LocalAddresses.SETTING, "192.0.2.1, 2001:db8::1");

        assertThat(LocalAddresses.of(options)).containsExactly(IPV4, IPV6);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> LocalAddresses.of(options.withSetting(LocalAddresses.SETTING, "192.0.2.1,eth0")))
                .withMessageContaining("'eth0' is no IP address");
    }
}
