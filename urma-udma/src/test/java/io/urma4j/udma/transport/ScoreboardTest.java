package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Bth;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which packets of a requester are lost, and when: five packets in flight, a nanosecond apart. */
class ScoreboardTest {
    private static final long RTT = 1_000_000;
    private static final long FIRST = 10;
    private static final long END = 15;
    private static final int SECOND = Bth.nextTransmission(Bth.FIRST_TRANSMISSION);

    private final CongestionControl congestion = new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
    private final Scoreboard board = new Scoreboard(FIRST, congestion);

    @BeforeEach
    void sent() {
        congestion.acknowledged(1, 0, RTT, RTT);
        for (long psn = FIRST; psn < END; psn++) {
            board.sent(psn, psn + 1, psn - FIRST);
        }
    }

    /** The responder reports that it has these and expects that one. */
    private int told(long expected, long nowNanos, long... kept) {
        NativeMemory bits = NativeMemory.allocate(2);
        for (long psn : kept) {
            int bit = (int) (psn - expected - 1);
            bits.setByte(bit / 8, bits.getByte(bit / 8) | 1 << bit % 8);
        }
        return board.told(expected, END, bits, 0, 2, nowNanos);
    }

    private static NativeMemory bits(int bits) {
        NativeMemory made = NativeMemory.allocate(1);
        made.setByte(0, bits);
        return made;
    }

    private boolean find(long nowNanos) {
        return board.find(END, RTT, nowNanos);
    }

    private void sentAgain(long psn, long nowNanos) {
        board.repeated(psn, END, nowNanos);
    }

    // ---- what is lost

    @Test
    void threeYoungerPacketsShowThatOneIsLost() {
        assertThat(told(10, RTT, 11, 12, 13)).isEqualTo(3);

        assertThat(find(RTT)).isTrue();

        assertThat(board.skips(10)).as("the lost one").isFalse();
        assertThat(board.skips(11)).as("one that arrived").isTrue();
        assertThat(board.skips(14)).as("one that was sent later").isTrue();
        assertThat(board.arrived()).isEqualTo(3);
    }

    @Test
    void twoYoungerPacketsShowItAfterAQuarterOfARoundTrip() {
        told(10, RTT, 11, 12);

        assertThat(find(RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(RTT + RTT / 4);
        assertThat(find(RTT + RTT / 4 - 1)).isFalse();
        assertThat(board.skips(10)).isTrue();
        assertThat(find(RTT + RTT / 4)).isTrue();
        assertThat(board.skips(10)).isFalse();
    }

    @Test
    void whatWasSentBehindTheYoungestIsNotMissing() {
        told(10, RTT, 11);

        find(RTT);
        assertThat(find(RTT + RTT / 4)).isTrue();

        assertThat(board.skips(10)).isFalse();
        for (long psn = 12; psn < END; psn++) {
            assertThat(board.skips(psn)).as("%d", psn).isTrue();
        }
        assertThat(find(10 * RTT)).as("nothing further is lost").isFalse();
        assertThat(board.dueNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void ofPacketsThatWereSentTogetherTheOneBeforeIsMissing() {
        var together = new Scoreboard(FIRST, congestion);
        for (long psn = FIRST; psn < END; psn++) {
            together.sent(psn, psn + 1, 0);
        }
        together.told(10, END, bits(0b110), 0, 1, RTT); // 12 and 13

        together.find(END, RTT, RTT);
        assertThat(together.find(END, RTT, RTT + RTT / 4)).isTrue();

        assertThat(together.skips(10)).isFalse();
        assertThat(together.skips(11)).isFalse();
        assertThat(together.skips(12)).isTrue();
        assertThat(together.skips(14)).as("behind the youngest").isTrue();
    }

    @Test
    void inOrderNothingIsLost() {
        board.taken(12, Bth.FIRST_TRANSMISSION, RTT);
        board.over(12);

        assertThat(find(100 * RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aRetransmissionIsLostWhenSomethingSentAfterItHasArrived() {
        told(10, RTT, 11, 12, 13);
        find(RTT);
        sentAgain(10, RTT + 1);
        assertThat(board.skips(10)).isTrue();
        assertThat(find(10 * RTT)).as("nothing was sent after it").isFalse();

        board.sent(15, 16, RTT + 2);
        board.told(10, 16, bits(0b1_0111), 0, 1, 3 * RTT); // 11 to 13, and 15

        assertThat(board.find(16, RTT, 3 * RTT)).isTrue();
        assertThat(board.skips(10)).isFalse();
        assertThat(board.skips(14)).as("lost as well").isFalse();
    }

    @Test
    void aRetransmissionInFlightHidesNoLossBehindIt() {
        told(10, RTT, 11, 13);
        assertThat(find(RTT)).isFalse();
        board.probe(10);
        sentAgain(10, RTT + 1);

        assertThat(find(RTT + RTT / 4)).isTrue();

        assertThat(board.skips(10)).isTrue();
        assertThat(board.skips(12)).isFalse();
    }

    @Test
    void aPacketThatIsLostTwiceCountsAsOneLoss() {
        told(10, RTT, 11, 12, 13);
        find(RTT);
        assertThat(congestion.toString()).contains("loss 0.39 %");
        sentAgain(10, RTT + 1);
        board.sent(15, 16, RTT + 2);
        board.told(10, 16, bits(0b1_0111), 0, 1, 3 * RTT); // 11 to 13, and 15

        board.find(16, RTT, 3 * RTT);

        assertThat(board.skips(10)).isFalse();
        assertThat(congestion.toString()).as("with 14").contains("loss 0.78 %");
    }

    // ---- what a report counts

    @Test
    void aReportCountsEachArrivalOnceAndNoneThatWasNeverSent() {
        assertThat(told(10, RTT, 11, 12)).isEqualTo(2);
        assertThat(told(10, RTT, 11, 12, 14)).isEqualTo(1);
        assertThat(told(10, RTT, 14, 15, 16)).as("beyond the last one").isZero();
        assertThat(board.arrived()).isEqualTo(3);
    }

    @Test
    void aReportThatIsLateCountsNothingBeforeTheKnownEnd() {
        board.taken(13, Bth.FIRST_TRANSMISSION, RTT);
        board.over(13);

        assertThat(told(10, RTT, 11, 12, 13)).as("13 is news").isEqualTo(1);
    }

    @Test
    void whatIsAcknowledgedHasArrivedNoMore() {
        told(10, RTT, 11, 12, 14);
        board.taken(13, Bth.FIRST_TRANSMISSION, 2 * RTT);
        board.over(13);

        assertThat(board.arrived()).isEqualTo(1);
        board.taken(END, Bth.FIRST_TRANSMISSION, 2 * RTT);
        board.over(END);
        assertThat(board.arrived()).isZero();
    }

    // ---- what is retransmitted

    @Test
    void theOldestIsProbedAlone() {
        board.probe(10);
        assertThat(board.skips(10)).isFalse();
        assertThat(board.skips(11)).isTrue();
    }

    @Test
    void allThatWasSentIsRetransmittedOnceNothingIsKnown() {
        told(10, RTT, 11, 12);
        board.forget(13);
        assertThat(board.arrived()).isZero();
        for (long psn = 10; psn < 13; psn++) {
            assertThat(board.skips(psn)).isFalse();
        }
        assertThat(board.skips(13)).isTrue();
        told(10, 2 * RTT, 11);
        assertThat(board.skips(10)).as("something is known again").isTrue();
    }

    @Test
    void whatIsAboutToBeRetransmittedIsNotLost() {
        told(10, RTT, 11, 12, 13);
        board.forget(END);
        assertThat(find(RTT)).isFalse();
        assertThat(find(2 * RTT)).isFalse();
        assertThat(board.skips(14)).isFalse();

        sentAgain(10, 2 * RTT);
        board.taken(11, SECOND, 3 * RTT);
        board.over(11);
        board.forget(END);
        assertThat(find(3 * RTT)).isFalse();
        assertThat(find(4 * RTT)).isFalse();
        assertThat(board.skips(14)).isFalse();
    }

    @Test
    void allIsRetransmittedUntilSomethingIsLost() {
        board.forget(END);
        sentAgain(10, RTT);
        assertThat(find(2 * RTT)).isFalse();
        assertThat(board.skips(11)).isFalse();
    }

    @Test
    void theYoungestThatHasArrivedIsNotMissing() {
        told(10, RTT, 12);
        board.forget(END);
        sentAgain(10, RTT);
        find(RTT);
        assertThat(find(2 * RTT)).isTrue();
        assertThat(board.skips(11)).isFalse();
        assertThat(board.skips(12)).isTrue();
    }

    @Test
    void whatIsProbedAndAcknowledgedIsNotRetransmitted() {
        board.probe(10);
        board.taken(11, Bth.FIRST_TRANSMISSION, RTT);
        board.over(11);
        assertThat(board.skips(10)).isTrue();
    }

    @Test
    void transmissionsAreNumbered() {
        assertThat(board.isRepeated(10)).isFalse();
        assertThat(board.nextTransmission(10)).isEqualTo(SECOND);
        sentAgain(10, RTT);
        assertThat(board.isRepeated(10)).isTrue();
        assertThat(board.isRepeated(11)).isFalse();
        assertThat(board.nextTransmission(10)).isEqualTo(Bth.nextTransmission(SECOND));
        assertThat(board.repeatedAt(10)).isEqualTo(RTT);
        assertThat(board.sentBehind(10)).isEqualTo(END);
    }

    // ---- what an acknowledgement says of the round trip

    @Test
    void theYoungestPacketIsTheSampleAndOnce() {
        board.taken(13, Bth.FIRST_TRANSMISSION, RTT);
        assertThat(board.sample()).isEqualTo(RTT - 2);
        assertThat(board.isSampleSure()).isTrue();
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
        board.taken(13, Bth.FIRST_TRANSMISSION, 2 * RTT);
        board.taken(12, Bth.FIRST_TRANSMISSION, 2 * RTT);
        assertThat(board.sample()).as("nothing new").isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void aReportIsNoSureSample() {
        told(10, RTT, 12);
        assertThat(board.sample()).isEqualTo(RTT - 2);
        assertThat(board.isSampleSure()).isFalse();
        told(10, 2 * RTT, 11, 12);
        assertThat(board.sample()).as("an older one").isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void aRetransmissionThatIsNamedIsASample() {
        sentAgain(10, RTT);
        board.taken(11, SECOND, 3 * RTT);
        assertThat(board.sample()).isEqualTo(2 * RTT);
        assertThat(board.isSampleSure()).isTrue();
    }

    @Test
    void aRetransmissionThatIsNotNamedIsNone() {
        sentAgain(10, RTT);
        board.taken(11, Bth.NO_TRANSMISSION, 3 * RTT);
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void anotherTransmissionThanTheLastOneIsNone() {
        sentAgain(10, RTT);
        sentAgain(10, 2 * RTT);
        board.taken(11, SECOND, 4 * RTT);
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void anAcknowledgementThatNamesNoTransmissionIsNoSample() {
        board.taken(13, Bth.NO_TRANSMISSION, RTT);
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
        sentAgain(14, RTT);
        board.taken(15, SECOND, 2 * RTT);
        assertThat(board.sample()).isEqualTo(RTT);

        board.sent(15, 16, 2 * RTT);
        board.sent(16, 17, 2 * RTT);
        board.taken(17, Bth.NO_TRANSMISSION, 3 * RTT);

        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void whatWasReportedIsNoSampleOnceMore() {
        told(10, RTT, 11);
        board.taken(11, Bth.FIRST_TRANSMISSION, RTT);
        board.sample();
        board.taken(12, Bth.FIRST_TRANSMISSION, 3 * RTT);
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
    }

    // ---- what was late and not lost

    private void lostAndSentAgain() {
        told(10, RTT, 11, 12, 13);
        find(RTT);
        sentAgain(10, RTT + 1);
    }

    @Test
    void anAnswerToTheFirstTransmissionTakesTheLossBack() {
        lostAndSentAgain();
        board.taken(11, Bth.FIRST_TRANSMISSION, 10 * RTT);
        assertThat(congestion.spuriousLosses()).isEqualTo(1);
        assertThat(board.sample()).isEqualTo(10 * RTT);
    }

    @Test
    void anAnswerThatIsTooSoonForTheSecondTakesTheLossBack() {
        lostAndSentAgain();
        told(9, RTT + 1 + 3 * RTT / 4 - 1, 10);
        assertThat(congestion.spuriousLosses()).isEqualTo(1);
    }

    @Test
    void anAnswerAfterThreeQuartersOfARoundTripDoesNot() {
        lostAndSentAgain();
        told(9, RTT + 1 + 3 * RTT / 4, 10);
        assertThat(congestion.spuriousLosses()).isZero();
    }

    /** The shortest round trip may be that of packets in runs, and one that is alone is answered sooner. */
    @Test
    void onAFastNetworkAnAnswerIsNeverTooSoon() {
        congestion.acknowledged(1, 0, 50_000, 2 * RTT);
        lostAndSentAgain();
        told(9, RTT + 2, 10);
        assertThat(congestion.spuriousLosses()).isZero();
    }

    @Test
    void aPacketThatWasSentThreeTimesMayArriveTwiceThoughTheFirstWasLost() {
        lostAndSentAgain();
        sentAgain(10, 2 * RTT);
        board.cameAgain(10, 5 * RTT);
        assertThat(congestion.spuriousLosses()).isZero();
        find(5 * RTT);
        assertThat(board.lateNanos()).as("nothing was late").isZero();
    }

    /** The peer was stalled. What it reports of the probed packet is the first transmission, and the others are still to come. */
    @Test
    void aProbedPacketThatHasArrivedShowsNothingOfThoseSentBeforeTheProbe() {
        board.probe(10);
        sentAgain(10, 2 * RTT);
        told(9, 3 * RTT, 10);
        assertThat(find(3 * RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(Long.MAX_VALUE);
    }

    private void twoAreSentAgain() {
        board.probe(10);
        sentAgain(10, 2 * RTT);
        board.probe(11);
        sentAgain(11, 2 * RTT);
        board.sample();
    }

    @Test
    void anAcknowledgementOfARetransmissionShowsThatWhatWasSentBeforeItIsMissing() {
        twoAreSentAgain();
        board.taken(11, SECOND, 3 * RTT);
        board.over(11);
        find(3 * RTT);
        assertThat(board.dueNanos()).isEqualTo(3 * RTT + RTT / 4);
    }

    /** The responder may have kept it, and answers it next. */
    @Test
    void anAnswerToARetransmissionDoesNot() {
        twoAreSentAgain();
        board.executed(11, SECOND, 3 * RTT);
        board.over(11);
        assertThat(find(3 * RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(board.sample()).as("of the retransmission").isEqualTo(RTT);
    }

    @Test
    void aPacketThatArrivedTwiceTakesTheLossBackOnce() {
        lostAndSentAgain();
        board.cameAgain(11, 5 * RTT);
        assertThat(congestion.spuriousLosses()).as("it was not lost").isZero();
        board.cameAgain(10, 5 * RTT);
        board.cameAgain(10, 5 * RTT);
        assertThat(congestion.spuriousLosses()).isEqualTo(1);
    }

    @Test
    void aPacketThatWasLateMakesTheNextOnesWaitedForLonger() {
        told(10, RTT, 11, 12);
        find(RTT);
        board.taken(11, Bth.FIRST_TRANSMISSION, RTT + 100);
        board.over(11);
        assertThat(board.lateNanos()).isZero();
        told(13, 2 * RTT, 14);
        find(2 * RTT);
        assertThat(board.lateNanos()).as("a hundred, and a quarter").isEqualTo(125);
        assertThat(board.dueNanos()).isEqualTo(2 * RTT + 125);
    }

    @Test
    void aRetransmittedPacketThatWasLateMakesTheNextOnesWaitedForLonger() {
        lostAndSentAgain();
        board.taken(11, Bth.FIRST_TRANSMISSION, RTT + 100);
        board.over(11);
        board.sent(15, 16, 2 * RTT);
        board.told(14, 16, bits(1), 0, 1, 3 * RTT);

        assertThat(board.find(16, RTT, 3 * RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(3 * RTT + 125);
    }

    @Test
    void aNumberThatIsUsedAnewHasNoHistory() {
        lostAndSentAgain();
        board.takesNumbers(10, 11);
        assertThat(board.isRepeated(10)).isFalse();
        board.cameAgain(10, 5 * RTT);
        assertThat(congestion.spuriousLosses()).isZero();
    }
}
