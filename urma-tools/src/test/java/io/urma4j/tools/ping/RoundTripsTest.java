package io.urma4j.tools.ping;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The arithmetic of ping. */
class RoundTripsTest {
    private final RoundTrips trips = new RoundTrips();

    private void sent(int times) {
        for (int i = 0; i < times; i++) {
            trips.sent();
        }
    }

    @Test
    void summaryIsThatOfPing() {
        sent(4);
        trips.answered(1_000_000);
        trips.answered(2_000_000);
        trips.answered(6_000_000);

        assertThat(trips.summary(3004)).isEqualTo("4 packets transmitted, 3 received, 25% packet loss, time 3004ms");
        assertThat(trips.times()).isEqualTo("rtt min/avg/max/mdev = 1.000/3.000/6.000/2.160 ms");
    }

    @Test
    void lossHasTheDigitsThatItNeeds() {
        sent(3);
        trips.answered(1);

        assertThat(trips.summary(0)).contains(" 66.6667% packet loss");
    }

    @Test
    void nothingAnsweredIsAllLost() {
        sent(10);

        assertThat(trips.summary(9000)).startsWith("10 packets transmitted, 0 received, 100% packet loss");
        assertThat(trips.mdevMillis()).isZero();
    }
}
