package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The path MTU that an interface allows. */
class LocalInterfaceTest {
    private static final int NO_LIMIT = 61_440;

    /** WIRE §3.2: 76 bytes of headers over IPv4, 96 over IPv6. */
    @ParameterizedTest
    @CsvSource({
        "576, 256, 256",
        "1280, 1024, 1024",
        "1500, 1024, 1024",
        "4171, 2048, 2048",
        "4172, 4096, 2048",
        "4192, 4096, 4096",
        "8267, 4096, 4096",
        "8268, 8192, 4096",
        "9000, 8192, 8192",
        "16460, 16384, 8192",
        "61515, 32768, 32768",
        "61516, 61440, 32768",
        "61536, 61440, 61440",
        "65520, 61440, 61440",
        "65536, 61440, 61440"
    })
    void theLargestWhosePacketsPass(int interfaceBytes, int ipv4, int ipv6) {
        var found = new LocalInterface("eth7", 7, interfaceBytes, true);

        assertThat(found.pathMtuBytes(false, NO_LIMIT)).isEqualTo(ipv4);
        assertThat(found.pathMtuBytes(true, NO_LIMIT)).isEqualTo(ipv6);
        assertThat(found.pathMtuBytes(false, 2048)).isEqualTo(Math.min(2048, ipv4));
    }

    /** Two interfaces may have the same link-local address. */
    @Test
    void theScopeOfAnAddressIsItsInterface() throws UnknownHostException {
        byte[] linkLocal = InetAddress.ofLiteral("fe80::1").getAddress();
        InetAddress ofThird = Inet6Address.getByAddress(null, linkLocal, 3);

        assertThat(LocalInterface.isInScope(ofThird, 3)).isTrue();
        assertThat(LocalInterface.isInScope(ofThird, 4)).isFalse();
        assertThat(LocalInterface.isInScope(InetAddress.ofLiteral("fe80::1"), 4))
                .isTrue();
        assertThat(LocalInterface.isInScope(InetAddress.ofLiteral("127.0.0.1"), 4))
                .isTrue();
    }

    @Test
    void anInterfaceThatIsNotFoundSendsThePacketsOfRoce() {
        LocalInterface none = LocalInterface.of(InetAddress.ofLiteral("192.0.2.1"));

        assertThat(none.isKnown()).isFalse();
        assertThat(none.pathMtuBytes(false, NO_LIMIT)).isEqualTo(4096);
        assertThat(none.pathMtuBytes(true, NO_LIMIT)).isEqualTo(4096);
    }
}
