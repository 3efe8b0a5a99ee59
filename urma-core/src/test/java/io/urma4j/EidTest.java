package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** S1.1: endpoints and their text forms. */
class EidTest {
    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, ::ffff:10.1.2.3",
        "::ffff:10.1.2.3, ::ffff:10.1.2.3",
        "0x0a010203, ::ffff:10.1.2.3",
        "0xA010203, ::ffff:10.1.2.3",
        "0x00000000000000000000000000000001, ::1",
        "::, ::",
        "::1, ::1",
        "2001:DB8::1, 2001:db8::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "fe80::, fe80::",
    })
    void allTextFormsAreReadAndTheShortOneIsWritten(String text, String canonical) {
        assertThat(Eid.parse(text)).hasToString(canonical);
        assertThat(Eid.parse(canonical)).isEqualTo(Eid.parse(text));
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "1",
                "0",
                "4711",
                "word",
                "localhost",
                " ",
                "10.1.2",
                "10.1.2.256",
                "10.1.2.3 ",
                "1.2.3.4.5",
                ":::",
                "1::2::3",
                "12345::",
                "fe80::1%eth0",
                "0x",
                "0x123456789",
                "0xg",
                "::ffff:1.2.3.4.5",
                "[::1]",
                "10.1.2.3:4791"
            })
    void everythingElseIsRefused(String text) {
        assertInvalid(() -> Eid.parse(text)).withMessageStartingWith("EID: '");
    }

    @Test
    void zeroIsSeen() {
        assertThat(Eid.ZERO.isZero()).isTrue();
        assertThat(Eid.parse("::1").isZero()).isFalse();
        assertThat(Eid.parse("0.0.0.1").isIpv4()).isTrue();
    }

    @Test
    void addressesOfTheJdkAreTaken() throws Exception {
        assertThat(Eid.of(InetAddress.getByAddress(new byte[] {10, 1, 2, (byte) 255})))
                .hasToString("::ffff:10.1.2.255");
        byte[] ones = new byte[16];
        java.util.Arrays.fill(ones, (byte) -1);
        assertThat(Eid.of(InetAddress.getByAddress(ones))).isEqualTo(new Eid(-1, -1));
    }
}
