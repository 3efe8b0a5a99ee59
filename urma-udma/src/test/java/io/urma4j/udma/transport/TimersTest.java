package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** When a wait is over, and what it grows to: of the retransmission timer, of late packets, of a receiver, of a rewind. */
class TimersTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;

    private static ConnectionConfig.Builder config() {
        return ConnectionConfig.builder(Kind.RELIABLE_CONNECTED, 1, 2);
    }

    @Nested
    class OfRetransmission {
        private final RetryTimer timer = new RetryTimer(config().timeout(S, 3).build(), 7);

        @Test
        void theTimerIsDueAtItsDeadline() {
            assertThat(timer.isRunning()).isFalse();
            timer.awaits(10);
            timer.awaits(100);

            assertThat(timer.dueNanos()).as("the first wait counts").isEqualTo(10 + 200 * MS);
            assertThat(timer.isDue(10 + 200 * MS - 1)).isFalse();
            assertThat(timer.isDue(10 + 200 * MS)).isTrue();
        }

        @Test
        void theLimitOfTheConfigurationBoundsTheFirstWait() {
            var quick = new RetryTimer(config().timeout(50 * MS, 3).build(), 0);
            quick.awaits(0);

            assertThat(quick.dueNanos()).isEqualTo(50 * MS);
            quick.allow(S);
            quick.again(0);
            assertThat(quick.dueNanos()).isEqualTo(50 * MS);
        }

        @Test
        void withoutALimitTheTimerNeverExpires() {
            var patient = new RetryTimer(config().timeout(0, 3).build(), 0);
            patient.awaits(0);

            assertThat(patient.dueNanos()).isEqualTo(Long.MAX_VALUE);
            assertThat(patient.timeoutNanos()).isEqualTo(200 * MS);
        }

        @Test
        void packetsThatMayBeLateMakeTheWaitLonger() {
            timer.allow(30 * MS);
            timer.awaits(0);

            assertThat(timer.dueNanos()).isEqualTo(230 * MS);
        }

        @Test
        void theWaitEndsWhenNothingIsAwaitedAndBeginsAnewOtherwise() {
            timer.awaits(0);
            timer.expired(200 * MS);
            assertThat(timer.isFirst()).isFalse();
            timer.progressed(true, S);
            assertThat(timer.isFirst()).isTrue();
            assertThat(timer.progressedNanos()).isEqualTo(S);
            assertThat(timer.isRunning()).isTrue();

            timer.progressed(false, 2 * S);

            assertThat(timer.isRunning()).isFalse();
            assertThat(timer.progressedNanos()).isEqualTo(2 * S);
        }

        @Test
        void towardsAForeignPeerEachTimeoutDoublesTheWait() {
            timer.awaits(0);
            timer.expired(200 * MS);
            assertThat(timer.dueNanos()).isEqualTo(600 * MS);
        }

        @Test
        void towardsAnUrma4jPeerSixteenTimeoutsAreEqual() {
            var selective = new RetryTimer(config().timeout(S, 100).selective().build(), 0);
            selective.awaits(0);
            for (int i = 0; i < 16; i++) {
                selective.expired(0);
                assertThat(selective.timeoutNanos()).isEqualTo(200 * MS);
            }
            selective.expired(0);
            assertThat(selective.timeoutNanos()).isEqualTo(400 * MS);
        }

        @Test
        void aProbeComesBeforeTheFirstTimeoutAndNotAgain() {
            var selective = new RetryTimer(config().timeout(S, 100).selective().build(), 0);
            selective.sample(100_000);
            selective.sample(100_000);
            selective.allow(1000);
            selective.awaits(0);

            long overdue = 100_000 + MS + 1000;
            assertThat(selective.dueNanos()).isEqualTo(overdue);
            assertThat(selective.isProbeDue(overdue - 1)).isFalse();
            assertThat(selective.isProbeDue(overdue)).isTrue();
            assertThat(selective.isDue(overdue)).isFalse();

            selective.probed();
            assertThat(selective.isProbeDue(S)).isFalse();
            assertThat(selective.dueNanos()).as("the timeout").isEqualTo(4 * MS + 1000);

            selective.expired(4 * MS + 1000);
            assertThat(selective.isProbeDue(S)).as("before the second timeout").isFalse();
            selective.progressed(true, 5 * MS);
            assertThat(selective.isProbeDue(5 * MS + overdue)).isTrue();
            selective.stop();
            assertThat(selective.dueNanos()).isEqualTo(Long.MAX_VALUE);
        }

        @Test
        void aForeignPeerIsNotProbed() {
            timer.sample(100_000);
            timer.awaits(0);
            assertThat(timer.isProbeDue(S)).isFalse();
            assertThat(timer.dueNanos()).isEqualTo(4 * MS);
        }

        @Test
        void aPeerIsSilentAfterAllRetriesAndAllTheirTime() {
            timer.awaits(0);
            timer.expired(0);
            timer.expired(0);
            assertThat(timer.isSilent(100 * S)).as("a retry is missing").isFalse();
            timer.expired(0);
            assertThat(timer.isSilent(4 * S - 1)).as("time is missing").isFalse();
            assertThat(timer.isSilent(4 * S)).isTrue();
        }

        @Test
        void ofManySamplesOneCountsPerRoundTrip() {
            timer.sampleOfMany(10 * MS, 0);
            assertThat(timer.smoothedNanos()).isEqualTo(10 * MS);
            timer.sampleOfMany(18 * MS, 10 * MS - 1);
            assertThat(timer.smoothedNanos()).isEqualTo(10 * MS);
            timer.sampleOfMany(18 * MS, 10 * MS);
            assertThat(timer.smoothedNanos()).isEqualTo(11 * MS);
        }
    }

    @Nested
    class OfLatePackets {
        private static final long MEMORY = 2 * S;

        private final ReorderWindow window = new ReorderWindow();

        @Test
        void withoutLatePacketsNoneIsWaitedFor() {
            assertThat(window.nanos(MS, 0)).isZero();
        }

        @Test
        void theLongestDelayAndAQuarterIsWaitedFor() {
            window.late(1000, 0);
            window.late(400, 0);
            assertThat(window.nanos(MS, 0)).isEqualTo(1250);
            assertThat(window.nanos(MS, 1)).as("asked again").isEqualTo(1250);
        }

        @Test
        void aDelayIsForgottenAfterOneToTwoIntervals() {
            window.late(1000, 0);
            assertThat(window.nanos(MS, MEMORY)).isEqualTo(1250);
            assertThat(window.nanos(MS, 2 * MEMORY - 1)).isEqualTo(1250);
            assertThat(window.nanos(MS, 2 * MEMORY)).isZero();
        }

        @Test
        void aDelayOfLongAgoIsForgottenAtOnce() {
            window.late(1000, 0);
            assertThat(window.nanos(MS, 2 * MEMORY - 1)).isEqualTo(1250);
            var other = new ReorderWindow();
            other.late(1000, 0);
            assertThat(other.nanos(MS, 2 * MEMORY)).isZero();
        }

        @Test
        void anIntervalBeginsWithTheFirstDelayBehindTheLastOne() {
            window.late(1000, 0);
            window.late(2000, MEMORY);
            assertThat(window.nanos(MS, 2 * MEMORY)).isEqualTo(2500);
            assertThat(window.nanos(MS, 3 * MEMORY)).isZero();
        }

        @Test
        void aRoundTripOrTwentyMillisecondsIsTheLimit() {
            window.late(S, 0);
            assertThat(window.nanos(MS, 0)).isEqualTo(20 * MS);
            assertThat(window.nanos(50 * MS, 0)).isEqualTo(50 * MS);
        }
    }

    @Nested
    class OfAReceiver {
        private final CongestionControl congestion =
                new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
        private final InFlight inFlight = new InFlight();

        private Retransmission retransmission(int rnrRetries) {
            ConnectionConfig config = config().rnrRetries(rnrRetries).build();
            RetryTimer timer = new RetryTimer(config, 0);
            LastRewind rewind = new LastRewind(congestion, true);
            return new Retransmission(
                    new PsnWindow(0),
                    inFlight,
                    new GoBackN(timer, rewind),
                    timer,
                    congestion,
                    rewind,
                    new Traffic(),
                    config.rnrRetries());
        }

        @Test
        void aMessageIsRetriedAsOftenAsConfigured() {
            Retransmission retransmission = retransmission(2);
            assertThat(retransmission.hold(1, 0)).isTrue();
            assertThat(retransmission.hold(1, 0)).isTrue();
            assertThat(retransmission.hold(1, 0)).isFalse();
            retransmission.progressed(0);
            assertThat(retransmission.hold(1, 0)).as("the next message").isTrue();
        }

        @Test
        void sevenRetriesAreWithoutLimit() {
            Retransmission retransmission = retransmission(7);
            for (int i = 0; i < 100; i++) {
                assertThat(retransmission.hold(1, 0)).isTrue();
            }
        }

        @Test
        void theHoldEndsAtItsTime() {
            Retransmission retransmission = retransmission(7);
            inFlight.append();
            assertThat(retransmission.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
            assertThat(retransmission.isHeld(0)).isFalse();
            retransmission.hold(10, 0);
            assertThat(retransmission.isHeld(9)).isTrue();
            assertThat(retransmission.isHeld(10)).isFalse();
            retransmission.runTimers(9);
            assertThat(retransmission.deadlineNanos()).isEqualTo(10);
            retransmission.runTimers(10);
            assertThat(retransmission.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
            retransmission.hold(20, 10);
            retransmission.restart();
            assertThat(retransmission.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Nested
    class OfARewind {
        private static final long OLDEST = 10;

        private final CongestionControl congestion =
                new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
        private final LastRewind rewind = new LastRewind(congestion, true);

        private void roundTripIs(long nanos) {
            congestion.acknowledged(1, 1, nanos, nanos);
        }

        @Test
        void beforeTheFirstRewindNothingIsTooRecent() {
            roundTripIs(MS);
            assertThat(rewind.isTooRecent(0)).isFalse();
            assertThat(rewind.goesBack(OLDEST, 0)).isTrue();
        }

        @Test
        void threeQuartersOfARoundTripAfterItASignBelongsToTheRetransmission() {
            roundTripIs(MS);
            rewind.goesBack(OLDEST, 2 * MS);
            rewind.begin();
            long end = 2 * MS + 3 * MS / 4;

            assertThat(rewind.isTooRecent(end - 1)).isTrue();
            assertThat(rewind.isAnswered(OLDEST, end - 1)).isFalse();
            assertThat(rewind.isTooRecent(end)).isFalse();
            assertThat(rewind.isAnswered(OLDEST, end)).isTrue();
            assertThat(rewind.isAnswered(OLDEST + 1, end))
                    .as("another packet is the oldest")
                    .isFalse();
        }

        @Test
        void withoutARoundTripNothingIsKnownToBeAnAnswer() {
            rewind.goesBack(OLDEST, 0);
            assertThat(rewind.isAnswered(OLDEST, S)).isFalse();
        }

        @Test
        void aPacketThatIsAcknowledgedTooSoonWasNotLost() {
            roundTripIs(MS);
            rewind.goesBack(OLDEST, 2 * MS);
            rewind.begin();
            rewind.progressed(OLDEST, 2 * MS + 1);
            assertThat(congestion.spuriousLosses()).as("nothing behind it").isZero();

            rewind.progressed(OLDEST + 1, 2 * MS + 2);

            assertThat(congestion.spuriousLosses()).isEqualTo(1);
        }

        @Test
        void aPacketThatIsAcknowledgedLaterWasLost() {
            roundTripIs(MS);
            rewind.goesBack(OLDEST, 2 * MS);
            rewind.progressed(OLDEST + 1, 2 * MS + 3 * MS / 4);

            assertThat(congestion.spuriousLosses()).isZero();
            assertThat(rewind.isTooRecent(2 * MS)).as("it is over").isFalse();
        }
    }
}
