package io.urma4j.udma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathMtuTest {
    @Test
    void thereAreNine() {
        int found = 0;
        StringBuilder names = new StringBuilder();
        for (int bytes = -1; bytes < 1 << 17; bytes++) {
            if (PathMtu.isOne(bytes)) {
                found++;
                names.append(names.isEmpty() ? "" : ", ").append(bytes);
                assertThat(PathMtu.isOfRoce(bytes)).isEqualTo(bytes <= 4096);
            }
        }
        assertThat(found).isEqualTo(9);
        assertThat(names).hasToString(PathMtu.NAMES);
    }

    @ParameterizedTest
    @CsvSource({
        "-5, 256",
        "0, 256",
        "256, 256",
        "1023, 512",
        "4096, 4096",
        "8191, 4096",
        "8192, 8192",
        "32767, 16384",
        "61439, 32768",
        "61440, 61440",
        "1000000, 61440"
    })
    void theLargestWithinALimit(int limit, int mtuBytes) {
        assertThat(PathMtu.within(limit)).isEqualTo(mtuBytes);
    }

    /** The longest packet fits a datagram of IPv4, and with a jumbo packet of the loopback interface, one of IPv6. */
    @Test
    void aDatagramHoldsTheLargest() {
        assertThat(Packet.MAX_BYTES + 8 + 20).isLessThanOrEqualTo(0xFFFF);
        assertThat(Packet.MAX_BYTES + 8 + 40).isLessThanOrEqualTo(1 << 16);
        assertThat(Packet.MAX_BYTES + 4096 + 8).isGreaterThan(0xFFFF);
    }
}
