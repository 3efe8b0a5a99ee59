package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class NetworksTest {
    private static boolean contains(String networks, String address) {
        return Networks.parse(networks).contain(InetAddress.ofLiteral(address));
    }

    @Test
    void addressesBelongToNetworksByTheirFirstBits() {
        assertThat(contains("10.0.0.0/8", "10.255.0.1")).isTrue();
        assertThat(contains("10.0.0.0/8", "11.0.0.1")).isFalse();
        assertThat(contains("10.16.0.0/12", "10.31.255.255")).isTrue();
        assertThat(contains("10.16.0.0/12", "10.32.0.0")).isFalse();
        assertThat(contains("192.168.1.7", "192.168.1.7")).isTrue();
        assertThat(contains("192.168.1.7", "192.168.1.6")).isFalse();
        assertThat(contains("0.0.0.0/0", "8.8.8.8")).isTrue();
        assertThat(contains("fd00::/8, 10.0.0.0/8", "fd12::1")).isTrue();
        assertThat(contains("fd00::/8, 10.0.0.0/8", "fe80::1")).isFalse();
        assertThat(contains("0.0.0.0/0", "fd12::1")).isFalse();
        assertThat(contains("128.0.0.0/1", "255.1.1.1")).isTrue();
        assertThat(contains("128.0.0.0/1", "127.1.1.1")).isFalse();
        assertThat(contains("::ffff:10.0.0.0/8", "10.1.1.1")).isTrue();
    }

    @Test
    void noListIsNoNetwork() {
        assertThat(Networks.parse("").isEmpty()).isTrue();
        assertThat(Networks.parse(" ").isEmpty()).isTrue();
    }

    @Test
    void whatIsNoNetworkIsNamed() {
        String[] all = {"host", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0.0/8,", "192.168/16", "10/8", "1.2.3"
        };
        for (String wrong : all) {
            assertThatThrownBy(() -> Networks.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("urma.socket.networks");
        }
    }
}
