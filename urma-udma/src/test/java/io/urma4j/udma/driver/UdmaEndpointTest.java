package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.udma.control.PortAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Descriptors that another version of this provider may have written. */
class UdmaEndpointTest {
    private static final PortAddress AT = new PortAddress(Eid.parse("192.0.2.1"), 4791);

    @Test
    void whatWasWrittenIsRead() {
        UdmaEndpoint endpoint = new UdmaEndpoint(AT, 0x1234567, 0x10000);

        assertThat(UdmaEndpoint.of("test", List.of(endpoint.toEndpoint()))).contains(endpoint);
    }

    @Test
    void kindsThatAreUnknownArePassedOverUnlessTheyAreCritical() {
        Endpoint later = new Endpoint("udma2", "192.0.2.1", 7, 0, false);
        Endpoint critical = new Endpoint("udma2", "192.0.2.1", 7, 0, true);
        Endpoint known = new UdmaEndpoint(AT, 5, 0).toEndpoint();

        assertThat(UdmaEndpoint.of("test", List.of(later, known))).contains(new UdmaEndpoint(AT, 5, 0));
        assertThat(UdmaEndpoint.of("test", List.of(later))).isEmpty();
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> UdmaEndpoint.of("test", List.of(critical, known)))
                .withMessageContaining("critical endpoint of the unknown kind udma2")
                .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
    }

    /** Bits that have no meaning here would have one in a later version. */
    @Test
    void keysThatSayMoreThanIsKnownAreRefused() {
        long key = new UdmaEndpoint(AT, 5, 0).toEndpoint().key();
        assertRefused(key | 1L << 48, "has bits that this version does not know");
        assertRefused(key | 1L << 63, "has bits that this version does not know");
        assertRefused(5, "has no UDP port");
    }

    private static void assertRefused(long key, String why) {
        Endpoint endpoint = new Endpoint(UdmaEndpoint.KIND, "192.0.2.1", key, 0, false);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> UdmaEndpoint.of("test", List.of(endpoint)))
                .withMessageContaining(why);
    }
}
