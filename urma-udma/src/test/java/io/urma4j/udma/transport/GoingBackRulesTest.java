package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which signs of a loss make a requester retransmit, and when. */
class GoingBackRulesTest {
    private static final long RTT = 1_000_000;

    /** The round trip is known; PSNs 1 to {@code count} have been in flight for that time. */
    private static AnswersByHand inFlight(Peer peer, int count, UnaryOperator<ConnectionConfig.Builder> adjusted) {
        AnswersByHand by = new AnswersByHand(peer, adjusted);
        by.out.write(8, 0);
        by.sends();
        by.pair.now += RTT;
        by.acknowledges(0, 1);
        for (int i = 0; i < count; i++) {
            by.out.write(8, 0);
        }
        assertThat(by.sends()).hasSize(count);
        by.pair.now += RTT;
        return by;
    }

    // ---- towards a peer that drops what is early

    /** The missing packet was only late. Others that were in flight with it may have been late as well. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aGapBehindAPacketThatWasLateIsIgnoredForARoundTrip(Peer peer) {
        AnswersByHand by = inFlight(peer, 4, config -> config);
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).containsExactly(1, 2, 3, 4);
        by.pair.now += RTT / 4;
        by.acknowledges(1, 2);
        by.says(2, Aeth.NAK_SEQUENCE, 2);
        assertThat(by.sends()).as("an answer to the first transmissions").isEmpty();
        by.pair.now += RTT;
        by.says(2, Aeth.NAK_SEQUENCE, 2);
        assertThat(by.sends()).as("an answer to the others").containsExactly(2, 3, 4);
    }

    // ---- towards a peer that keeps what is early

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void threeLaterPacketsShowALossAtOnce(Peer peer) {
        AnswersByHand by = inFlight(peer, 4, ConnectionConfig.Builder::selective);
        by.reports(1, 0b111, 1);
        assertThat(by.sends()).containsExactly(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void twoLaterPacketsShowALossAfterAQuarterOfARoundTripWithoutAnotherPacket(Peer peer) {
        AnswersByHand by = inFlight(peer, 4, ConnectionConfig.Builder::selective);
        by.reports(1, 0b11, 1);
        assertThat(by.sends()).isEmpty();
        long due = by.pair.now + RTT / 4;
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(due);
        by.pair.now = due - 1;
        assertThat(by.sends()).isEmpty();
        by.pair.now = due;
        assertThat(by.sends()).containsExactly(1);
        assertThat(by.requester.connection.traffic().count(Event.TIMEOUT)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theFirstTimeoutLeavesTheWindowAsItIsAndTheSecondDoesNot(Peer peer) {
        AnswersByHand by = inFlight(peer, 2, ConnectionConfig.Builder::selective);
        by.pair.now = by.requester.connection.deadlineNanos();
        assertThat(by.sends()).containsExactly(1);
        by.out.write(8, 0);
        assertThat(by.sends()).as("next to it").containsExactly(3);
        by.pair.now = by.requester.connection.deadlineNanos();
        assertThat(by.sends()).containsExactly(1);
        by.out.write(8, 0);
        assertThat(by.sends()).as("the window is a packet").isEmpty();
    }
}
