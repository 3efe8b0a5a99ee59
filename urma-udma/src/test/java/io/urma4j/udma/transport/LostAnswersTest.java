package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which answers of two READs are lost, and when: the first READ has the PSNs 10 to 14, the second one 15 to 17. */
class LostAnswersTest {
    private static final long RTT = 1_000_000;
    private static final long FIRST = 10;
    private static final int MTU = 1024;

    private final CongestionControl congestion = new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
    private final Scoreboard board = new Scoreboard(FIRST, congestion);
    private final InFlight inFlight = new InFlight();
    private final ResponseRecovery recovery = new ResponseRecovery(inFlight, board, congestion, FIRST);
    private final Outbox out = new Outbox(1, 2, 0);
    private long end = FIRST;

    @BeforeEach
    void twoReadsAreSent() {
        congestion.acknowledged(1, 0, RTT, RTT);
        sends(WorkOpcode.READ, 5);
        sends(WorkOpcode.READ, 3);
    }

    private void sends(int opcode, int packets) {
        int length = packets * MTU;
        long position = out.post(opcode, 0, length, 0, 0, 0);
        Request request = new Request();
        request.start(out, position, 2, false);
        inFlight.append().begin(request, 0, length, packets, true);
        inFlight.number(end);
        inFlight.advance();
        board.sent(end, end + packets, 0);
        recovery.sent(end, end + packets);
        end += packets;
    }

    private void arrive(long nowNanos, long... psns) {
        for (long psn : psns) {
            recovery.came(psn, false, nowNanos);
        }
    }

    private void arrivesAsLast(long psn, long nowNanos) {
        recovery.came(psn, true, nowNanos);
    }

    /** The parts that are requested again now: the first PSN of each, and the one behind it. */
    private List<String> requestedAgain(long nowNanos) {
        List<String> parts = new ArrayList<>();
        while (recovery.find(FIRST, end, nowNanos)) {
            assertThat(parts).as("endless").hasSizeLessThan(10);
            parts.add(recovery.from() + "-" + recovery.to());
            recovery.asked(end, nowNanos);
        }
        return parts;
    }

    // ---- what is lost

    @Test
    void twoAnswersMayOvertakeOne() {
        arrive(RTT, 11, 12);
        assertThat(requestedAgain(RTT)).isEmpty();
        arrive(RTT, 13);
        assertThat(requestedAgain(RTT)).containsExactly("10-11");
        assertThat(board.isRepeated(10)).isTrue();
        assertThat(board.isRepeated(11)).isFalse();
    }

    @Test
    void behindTheLastAnswerOfAReadNoneNeedFollow() {
        arrivesAsLast(14, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-14");
    }

    @Test
    void eachGapIsRequestedByItself() {
        arrive(RTT, 11, 12);
        arrivesAsLast(14, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-11", "13-14");
        assertThat(recovery.come()).isEqualTo(3);
    }

    @Test
    void aRequestAsksForAnswersOfItsReadAlone() {
        arrivesAsLast(17, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-15", "15-17");
    }

    @Test
    void aReadOfWhichAllHasArrivedIsNotRequestedAgain() {
        arrive(RTT, 11, 12, 13, 14, 15, 16);
        arrivesAsLast(17, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-11");
        assertThat(requestedAgain(2 * RTT)).isEmpty();
    }

    @Test
    void whatHasNoAnswersIsPassed() {
        sends(WorkOpcode.WRITE, 2);
        end += 1; // a PSN of no message
        recovery.acknowledged(end, 4, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-15", "15-18");
        assertThat(recovery.message()).isSameAs(inFlight.get(1));
    }

    @Test
    void nothingIsRequestedThatIsRetransmittedAnyway() {
        arrivesAsLast(17, RTT);
        assertThat(recovery.find(FIRST, 15, RTT)).isTrue();
        recovery.asked(end, RTT);
        assertThat(recovery.find(FIRST, 15, RTT)).isFalse();
    }

    // ---- what was requested again

    @Test
    void aSecondRequestIsLostWhenAnAnswerToALaterOneHasArrived() {
        arrive(RTT, 11, 12, 13, 14, 15, 16);
        arrivesAsLast(17, RTT);
        assertThat(requestedAgain(RTT)).containsExactly("10-11");
        sends(WorkOpcode.READ, 1);
        sends(WorkOpcode.READ, 1);
        sends(WorkOpcode.READ, 1);

        arrivesAsLast(18, 2 * RTT);
        assertThat(requestedAgain(2 * RTT)).as("nothing behind it").isEmpty();
        arrivesAsLast(19, 2 * RTT);
        assertThat(requestedAgain(2 * RTT)).containsExactly("10-11");
        arrivesAsLast(20, 2 * RTT);
        assertThat(requestedAgain(2 * RTT)).as("was requested later").isEmpty();
    }

    @Test
    void anAnswerTooSoonForTheSecondRequestTakesTheLossBack() {
        arrivesAsLast(14, RTT);
        requestedAgain(RTT);
        recovery.comes(10, RTT + 3 * RTT / 4);
        assertThat(congestion.spuriousLosses()).isZero();
        recovery.comes(11, RTT + 3 * RTT / 4 - 1);
        assertThat(congestion.spuriousLosses()).isEqualTo(1);
    }

    @Test
    void anAnswerThatArrivesTwiceTakesTheLossBackOnce() {
        arrivesAsLast(14, RTT);
        requestedAgain(RTT);
        recovery.cameAgain(14, 3 * RTT);
        assertThat(congestion.spuriousLosses()).as("was not lost").isZero();
        recovery.cameAgain(10, 3 * RTT);
        recovery.cameAgain(10, 3 * RTT);
        assertThat(congestion.spuriousLosses()).isEqualTo(1);
    }

    @Test
    void anAnswerThatWasRequestedThreeTimesMayArriveTwiceThoughTheFirstWasLost() {
        arrivesAsLast(14, RTT);
        requestedAgain(RTT);
        board.repeated(10, end, 2 * RTT);
        recovery.sent(10, 15);
        recovery.cameAgain(10, 3 * RTT);
        assertThat(congestion.spuriousLosses()).isZero();
    }

    @Test
    void anAnswerThatIsLostAgainMayArriveTwiceThoughTheFirstWasLost() {
        arrive(RTT, 11, 12, 13);
        requestedAgain(RTT);
        sends(WorkOpcode.READ, 1);
        sends(WorkOpcode.READ, 1);
        arrivesAsLast(18, 2 * RTT);
        arrivesAsLast(19, 2 * RTT);
        assertThat(requestedAgain(2 * RTT)).contains("10-11");
        recovery.cameAgain(10, 3 * RTT);
        assertThat(congestion.spuriousLosses()).isZero();
    }

    @Test
    void aPsnThatIsUsedAnewWasNeverRequestedAgain() {
        arrivesAsLast(14, RTT);
        requestedAgain(RTT);
        recovery.sent(10, 11);
        recovery.cameAgain(10, 3 * RTT);
        assertThat(congestion.spuriousLosses()).isZero();
    }

    // ---- what is late

    @Test
    void anAnswerThatWasLateMakesTheNextOnesWaitedForLonger() {
        arrive(RTT, 13);
        recovery.comes(10, RTT + 100);
        recovery.over(11);
        arrivesAsLast(14, 2 * RTT);

        assertThat(requestedAgain(2 * RTT)).isEmpty();
        assertThat(recovery.lateNanos()).as("a hundred, and a quarter").isEqualTo(125);
        assertThat(recovery.dueNanos()).isEqualTo(2 * RTT + 125);
        assertThat(requestedAgain(2 * RTT + 124)).isEmpty();
        assertThat(recovery.find(11, end, 2 * RTT + 125)).isTrue();
        assertThat(recovery.from()).isEqualTo(11);
        assertThat(recovery.to()).isEqualTo(13);
    }

    // ---- acknowledgements that wait

    @Test
    void theLatestAcknowledgementWaitsForTheAnswersBeforeIt() {
        recovery.acknowledged(15, 1, RTT);
        recovery.acknowledged(18, 2, RTT);
        recovery.acknowledged(15, 1, RTT);
        assertThat(recovery.acknowledgedTo()).isEqualTo(18);
        assertThat(recovery.acknowledgedMsn()).isEqualTo(2);
        assertThat(requestedAgain(RTT)).containsExactly("10-15", "15-18");
    }

    @Test
    void whatIsAcknowledgedIsEarlyNoMore() {
        arrive(RTT, 11, 12, 14);
        recovery.over(13);
        assertThat(recovery.come()).isEqualTo(1);
        assertThat(recovery.hasCome(14)).isTrue();
        recovery.forget();
        assertThat(recovery.come()).isZero();
        assertThat(recovery.acknowledgedTo()).isEqualTo(Long.MIN_VALUE);
    }
}
