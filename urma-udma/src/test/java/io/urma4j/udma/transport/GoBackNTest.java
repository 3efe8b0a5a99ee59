package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Loss recovery towards a foreign peer, by itself. */
class GoBackNTest {
    private static final long RTT_NANOS = 1_000_000;
    private static final long OLDEST = 10;

    private final CongestionControl congestion = new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
    private final LastRewind rewind = new LastRewind(congestion, true);
    private final RetryTimer timer = new RetryTimer(
            ConnectionConfig.builder(Kind.RELIABLE_CONNECTED, 1, 2)
                    .foreignPeer()
                    .build(),
            0);
    private final GoBackN recovery = new GoBackN(timer, rewind);

    @BeforeEach
    void roundTripIsKnown() {
        congestion.acknowledged(1, 1, RTT_NANOS, RTT_NANOS);
    }

    private boolean goesBack(long atNanos) {
        boolean goes = rewind.goesBack(OLDEST, atNanos);
        if (goes) {
            recovery.forget(OLDEST + 2);
            rewind.begin();
        }
        return goes;
    }

    @Test
    void oneLossMakesItGoBackOnce() {
        assertThat(goesBack(2 * RTT_NANOS)).isTrue();
        assertThat(goesBack(2 * RTT_NANOS + RTT_NANOS / 2)).isFalse();
        assertThat(rewind.isTooRecent(2 * RTT_NANOS + RTT_NANOS / 2)).isTrue();
    }

    @Test
    void nakOfARoundTripLaterShowsThatTheRetransmissionWasLost() {
        goesBack(2 * RTT_NANOS);

        assertThat(rewind.isTooRecent(3 * RTT_NANOS)).isFalse();
        assertThat(congestion.windowPackets()).isEqualTo(CongestionControl.INITIAL_WINDOW_PACKETS);
        assertThat(goesBack(3 * RTT_NANOS)).isTrue();
        assertThat(congestion.windowPackets()).as("0.7 of it, at once").isEqualTo(11);
    }

    @Test
    void progressLetsItGoBackForTheNextLoss() {
        goesBack(2 * RTT_NANOS);
        rewind.progressed(OLDEST + 1, 2 * RTT_NANOS + RTT_NANOS / 2);

        assertThat(rewind.goesBack(OLDEST + 1, 2 * RTT_NANOS + RTT_NANOS / 2)).isTrue();
    }

    @Test
    void onePacketInARoundTripIsTimed() {
        recovery.sent(OLDEST, OLDEST + 1, true, 0);
        recovery.sent(OLDEST + 1, OLDEST + 2, true, RTT_NANOS / 2);

        assertThat(recovery.sample(OLDEST + 1, RTT_NANOS)).isEqualTo(RTT_NANOS);
        assertThat(recovery.sample(OLDEST + 2, 2 * RTT_NANOS)).isEqualTo(CongestionControl.NO_SAMPLE);
        assertThat(timer.smoothedNanos()).isEqualTo(RTT_NANOS);
    }

    @Test
    void acknowledgementOfARetransmittedPacketIsNoSample() {
        recovery.sent(OLDEST, OLDEST + 1, true, 0);
        goesBack(2 * RTT_NANOS);
        recovery.retransmitted(OLDEST, OLDEST + 1, OLDEST + 1, 2 * RTT_NANOS);

        assertThat(recovery.sample(OLDEST + 1, 3 * RTT_NANOS)).isEqualTo(CongestionControl.NO_SAMPLE);
        assertThat(timer.smoothedNanos()).isZero();
    }

    @Test
    void acknowledgementOfAnEarlierPacketIsNoSampleOfTheTimedOne() {
        recovery.sent(OLDEST + 1, OLDEST + 2, true, 0);

        assertThat(recovery.sample(OLDEST + 1, RTT_NANOS)).isEqualTo(CongestionControl.NO_SAMPLE);
        assertThat(recovery.sample(OLDEST + 2, 2 * RTT_NANOS)).isEqualTo(2 * RTT_NANOS);
    }
}
