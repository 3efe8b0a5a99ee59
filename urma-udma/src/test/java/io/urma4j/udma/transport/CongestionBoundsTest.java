package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The thresholds of the congestion control, each at its value and one beyond. {@link CongestionControlTest} has the flows. */
class CongestionBoundsTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;
    private static final int NONE = 0;

    private final CongestionControl control = new CongestionControl(256, CongestionControl.INITIAL_WINDOW_PACKETS);
    private long now;

    /** The minimum RTT is a millisecond, and the window the initial one. */
    private void known() {
        now = MS;
        control.acknowledged(1, NONE, MS, now);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    /** A round with that many samples, all of that time, and that many packets in flight. */
    private void round(int samples, int inFlight, long rttNanos) {
        for (int i = 1; i < samples; i++) {
            control.acknowledged(1, inFlight, rttNanos, now + i);
        }
        now += rttNanos;
        control.acknowledged(1, inFlight, rttNanos, now);
    }

    private void round(long rttNanos) {
        round(1, NONE, rttNanos);
    }

    private void roundWithLoss(int packets, long rttNanos) {
        control.lost(packets, now);
        round(rttNanos);
    }

    @Test
    void aWindowHasAPacketAtLeast() {
        assertThat(new CongestionControl(1, CongestionControl.INITIAL_WINDOW_PACKETS).windowPackets())
                .isEqualTo(1);
        assertThatThrownBy(() -> new CongestionControl(0, CongestionControl.INITIAL_WINDOW_PACKETS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aWindowThatIsHalfFullGrows() {
        known();
        control.acknowledged(1, 7, MS, MS + 1);
        assertThat(control.windowPackets()).isEqualTo(16);
        control.acknowledged(1, 8, MS, MS + 2);
        assertThat(control.windowPackets()).isEqualTo(17);
    }

    @Test
    void aRoundEndsAfterARoundTrip() {
        control.noticed(0);
        control.acknowledged(1, NONE, MS, MS - 1);
        assertThat(control.windowPackets()).isEqualTo(16);
        control.acknowledged(1, NONE, MS, MS);
        assertThat(control.windowPackets()).as("0.8 of it, for the notice").isEqualTo(12);
    }

    @Test
    void aWindowThatWasNotUsedForLongIsSmallAgain() {
        long idle = CongestionControl.IDLE_NANOS;
        control.sends(0, 0);
        known();
        control.acknowledged(40, 16, MS, MS);
        assertThat(control.windowPackets()).isEqualTo(56);

        control.sends(0, MS + idle);
        assertThat(control.windowPackets()).as("just used").isEqualTo(56);
        control.sends(1, MS + 2 * idle + 1);
        assertThat(control.windowPackets()).as("packets are in flight").isEqualTo(56);
        control.sends(0, MS + 3 * idle + 2);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void theMinimumRttIsForgottenAfterTenToTwentySeconds() {
        assertThat(control.shortestRttNanos()).isZero();
        control.acknowledged(1, NONE, MS, 0);
        control.acknowledged(1, NONE, 5 * MS, 10 * S);
        assertThat(control.shortestRttNanos()).isEqualTo(MS);
        control.acknowledged(1, NONE, 5 * MS, 20 * S - 1);
        assertThat(control.shortestRttNanos()).isEqualTo(MS);
        control.acknowledged(1, NONE, 5 * MS, 20 * S);
        assertThat(control.shortestRttNanos()).isEqualTo(5 * MS);
    }

    @Test
    void lessThanThreeQuartersOfTheMinimumRttIsTooSoon() {
        control.acknowledged(1, NONE, 1000, 1000);
        assertThat(control.isTooSoon(749)).isTrue();
        assertThat(control.isTooSoon(750)).isFalse();
    }

    @Test
    void twoRoundsBeyondTheToleratedQueueMakeTheWindowSmaller() {
        known();
        for (int i = 0; i < 4; i++) {
            round(3 * MS);
        }
        assertThat(control.windowPackets()).as("two milliseconds of queue").isEqualTo(16);
        round(3 * MS + 1);
        assertThat(control.windowPackets()).as("one round").isEqualTo(16);
        round(3 * MS + 1);
        assertThat(control.windowPackets()).as("0.9 of a third").isEqualTo(4);
    }

    @Test
    void lateRoundsWithACalmOneBetweenThemAreForgiven() {
        known();
        for (int i = 0; i < 4; i++) {
            round(4 * MS);
            round(MS);
        }
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void aLateRoundEndsTheSlowStart() {
        known();
        round(1, 16, 4 * MS);
        int before = control.windowPackets();
        round(8, 16, MS);
        assertThat(control.windowPackets()).isEqualTo(before);
    }

    @Test
    void disorderExplainsTheDelayOfARoundWithFewSamples() {
        known();
        control.disorder(5 * MS);
        for (int i = 0; i < 3; i++) {
            round(7, NONE, 8 * MS);
        }
        assertThat(control.windowPackets()).isEqualTo(16);
        for (int i = 0; i < 2; i++) {
            round(8, NONE, 8 * MS);
        }
        assertThat(control.windowPackets()).isLessThan(16);
    }

    @Test
    void aSmallShareOfLossWithoutAQueueIsCorruption() {
        known();
        roundWithLoss(6, MS);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void aLargerShareOfLossIsCongestion() {
        known();
        roundWithLoss(7, MS);
        assertThat(control.windowPackets()).as("0.7 of it").isEqualTo(11);
    }

    @Test
    void lossWithAQueueIsCongestion() {
        known();
        roundWithLoss(1, MS + MS / 2);
        assertThat(control.windowPackets())
                .as("a quarter of the tolerated queue")
                .isEqualTo(16);
        roundWithLoss(1, MS + MS / 2 + 1);
        assertThat(control.windowPackets()).isEqualTo(11);
    }

    @Test
    void whatFollowsASmallerWindowWasCausedBeforeIt() {
        known();
        roundWithLoss(10, MS);
        roundWithLoss(10, MS);
        assertThat(control.windowPackets()).as("made smaller once").isEqualTo(11);
        roundWithLoss(10, MS);
        assertThat(control.windowPackets()).isEqualTo(7);
    }

    @Test
    void aWindowIsRestoredWhenTheRemainingLossesWouldNotHaveMadeItSmaller() {
        known();
        roundWithLoss(10, MS);
        control.notLost(3);
        assertThat(control.windowPackets()).as("seven are too many").isEqualTo(11);
        control.notLost(1);
        assertThat(control.windowPackets()).as("six are not").isEqualTo(16);
        assertThat(control.spuriousLosses()).isEqualTo(4);
    }

    @Test
    void aQuarterOfTheToleratedQueueIsNoQueueForThatEither() {
        known();
        roundWithLoss(10, MS + MS / 2);
        assertThat(control.windowPackets()).isEqualTo(11);
        control.notLost(4);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void withAQueueAWindowIsRestoredWhenNoLossRemains() {
        known();
        roundWithLoss(10, MS + MS / 2 + 1);
        control.notLost(9);
        assertThat(control.windowPackets()).isEqualTo(11);
        control.notLost(1);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void aLossThatProvesSpuriousInItsRoundMakesNothingSmaller() {
        known();
        control.lost(10, now);
        control.notLost(10);
        round(MS + MS / 2 + 1);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void lossesAreFinalAfterFourRounds() {
        known();
        roundWithLoss(10, MS);
        for (int i = 0; i < 4; i++) {
            round(MS);
        }
        control.notLost(10);
        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void lossesOfFiveRoundsAgoAreFinal() {
        known();
        roundWithLoss(10, MS);
        for (int i = 0; i < 5; i++) {
            round(MS);
        }
        control.notLost(10);
        assertThat(control.windowPackets()).isEqualTo(11);
    }

    @Test
    void retransmissionsThatAreLostMakeTheWindowSmallerAtOnce() {
        known();
        control.lostAgain();
        assertThat(control.windowPackets()).isEqualTo(11);
    }

    @Test
    void aTimeoutHalvesTheWayOfTheSlowStartOnce() {
        known();
        control.acknowledged(48, 16, MS, MS);
        assertThat(control.windowPackets()).isEqualTo(64);
        control.timedOut(2 * MS);
        control.timedOut(3 * MS);
        assertThat(control.windowPackets()).isEqualTo(1);

        control.acknowledged(31, 1, MS, 3 * MS + 1);
        assertThat(control.windowPackets()).isEqualTo(32);
        control.acknowledged(31, 32, MS, 3 * MS + 2);
        assertThat(control.windowPackets()).as("half of the window before").isEqualTo(32);
    }

    @Test
    void behindTheSlowStartAWindowGrowsByHalfAPacketPerRound() {
        known();
        control.acknowledged(48, 16, MS, MS);
        control.timedOut(2 * MS);
        control.acknowledged(31, 1, MS, 2 * MS + 1);
        now = 2 * MS;
        round(1, 32, MS);
        assertThat(control.windowPackets()).isEqualTo(32);
        round(1, 32, MS);
        assertThat(control.windowPackets()).isEqualTo(33);
        round(1, 1, MS);
        round(1, 1, MS);
        assertThat(control.windowPackets()).as("not filled").isEqualTo(33);
    }

    @Test
    void inEvery128RoundsTheQueueIsLeftForTwo() {
        known();
        for (int i = 1; i < CongestionControl.ROUNDS_BETWEEN_PROBES; i++) {
            round(1, 256, MS);
            assertThat(control.windowPackets()).as("round %d", i).isGreaterThanOrEqualTo(16);
        }
        int before = control.windowPackets();
        round(1, 256, MS);
        assertThat(control.windowPackets()).isEqualTo(2);
        round(1, 2, MS);
        assertThat(control.windowPackets()).isEqualTo(2);
        round(1, 2, MS);
        assertThat(control.windowPackets()).isBetween(before, before + 1);
    }

    @Test
    void roundsOfAWindowThatIsNotFilledAreNotCounted() {
        for (int i = 0; i < 2 * CongestionControl.ROUNDS_BETWEEN_PROBES; i++) {
            round(MS);
        }
        assertThat(control.windowPackets()).isEqualTo(16);
    }
}
