package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Responses to READs and atomics that are lost or have the wrong count, and acknowledgements that would pass them. If only
 * lost packets are retransmitted, an acknowledgement waits for the response.
 */
class LostAnswerRulesTest {
    private static final long MS = 1_000_000;

    // ---- acknowledgements beyond a response that is missing

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAcknowledgementBeyondAMissingResponseWaitsForIt(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.write(8, 0);
        by.out.read(0, 8, 0);
        by.out.write(8, 0);
        by.sends();
        by.acknowledges(2, 3);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.sends()).as("the response alone is requested").containsExactly(1);
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.statuses()).containsExactly(0, 0, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aMissingResponseIsRequestedWhenThereIsRoom(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 8, 0);
        by.out.write(8, 0);
        by.sends();
        by.acknowledges(1, 2);
        by.requester.room = 0;
        assertThat(by.steps()).as("there is more to send").isTrue();
        by.requester.room = 1;
        assertThat(by.steps()).isFalse();
        assertThat(by.requester.sent).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theMissingPartOfAReadIsRequested(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 2 * MTU + 8, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_FIRST, MTU, 1);
        by.answersRead(2, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.sends()).containsExactly(1);
        Packet again = by.requester.sent.getFirst();
        assertThat(Opcodes.operation(again.opcode())).isEqualTo(Opcodes.READ_REQUEST);
        int at = again.at(Header.RETH);
        assertThat(Reth.va(again.bytes(), at)).isEqualTo(Region.BASE + MTU);
        assertThat(Reth.lengthBytes(again.bytes(), at)).isEqualTo(MTU);
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, MTU, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theMissingResponseOfAnAtomicIsRequestedAsTheSameAtomic(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.atomic(WorkOpcode.FADD, 0, 8, 0, 1, 0);
        by.out.write(8, 0);
        by.sends();
        by.acknowledges(1, 2);
        assertThat(by.sends()).containsExactly(0);
        assertThat(Opcodes.operation(by.requester.sent.getFirst().opcode())).isEqualTo(Opcodes.FETCH_ADD);
        by.answersAtomic(0, 5, 1);
        assertThat(by.out.statuses()).containsExactly(0, 0);
    }

    /** Towards a peer that keeps nothing, everything from there on is requested anew. */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void theLastPacketOfAResponseShowsThatAnEarlierOneIsLost(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, MTU + 8, 0);
        by.sends();
        by.answersRead(1, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.sends()).containsExactly(0);
        assertThat(by.out.results).isEmpty();
        by.answersRead(1, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.sends()).as("once").isEmpty();
        by.answersRead(0, Opcodes.READ_RESPONSE_FIRST, MTU, 1);
        by.answersRead(1, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    // ---- gaps behind a response that is missing

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReportBehindAMissingResponseCountsAsWell(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 8, 0);
        for (int i = 0; i < 5; i++) {
            by.out.write(8, 0);
        }
        by.sends();
        by.reports(2, 0b111, 2);
        List<Integer> sent = new ArrayList<>(by.sends());
        sent.addAll(by.sends());
        assertThat(sent).as("the packet, and the READ").containsExactly(2, 0);
        assertThat(by.out.results).isEmpty();
    }

    /** A refusal was lost: the peer repeats it only if it receives everything once more. */
    @Test
    void aReportWithAWrongCountHasEverythingRetransmitted() {
        AnswersByHand by = AnswersByHand.writes(Peer.SHARED, 5, ConnectionConfig.Builder::selective);
        by.reports(1, 0b111, 0);
        assertThat(by.out.results).isEmpty();
        assertThat(by.sends()).containsExactly(0, 1, 2, 3, 4);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReportRestartsTheTimerIfItHasNews(Peer peer) {
        AnswersByHand by = AnswersByHand.writes(peer, 6, ConnectionConfig.Builder::selective);
        by.pair.now += MS;
        by.reports(0, 0b111, 0);
        assertThat(by.sends()).containsExactly(0);
        long due = by.requester.connection.deadlineNanos();
        by.pair.now += MS;
        by.reports(0, 0b111, 0);
        assertThat(by.requester.connection.deadlineNanos()).as("nothing new").isEqualTo(due);
        by.reports(0, 0b1111, 0);
        assertThat(by.requester.connection.deadlineNanos()).as("another one").isEqualTo(due + MS);
    }

    // ---- responses that arrive twice

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aResponseThatArrivesTwiceWasNotLost(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 8, 0);
        by.out.read(8, 8, 0);
        by.sends();
        by.pair.now += MS;
        by.answersRead(1, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.sends()).as("the first one counts as lost").containsExactly(0);
        by.pair.now += MS;
        by.answersRead(-ConnectionConfig.MAX_WINDOW_PACKETS, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(0, 0);
        assertThat(by.shown("spurious")).as("one of a window ago is another").isZero();
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.shown("spurious")).isEqualTo(1);
    }

    // ---- responses that complete nothing

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aResponseToWhatWasNeverSentCompletesNothing(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.write(8, 0);
        by.out.write(8, 0);
        by.sends();
        by.answersRead(2, Opcodes.READ_RESPONSE_ONLY, 8, 3);
        assertThat(by.out.results).isEmpty();
        assertThat(by.ignored()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSharedConnectionTakesNoResponseWithAWrongCount(boolean selective) {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> selective ? config.selective() : config);
        by.out.read(0, 8, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 2);
        assertThat(by.out.results).isEmpty();
        assertThat(by.out.got(0)).as("nothing is placed").isZero();
        assertThat(by.sends()).containsExactly(0);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    /** The first packet of a response had the count already. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void theCountInTheMiddleOfAResponseMeansNothing(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.read(0, 2 * MTU + 8, 0);
        by.sends();
        by.answersRead(0, Opcodes.READ_RESPONSE_FIRST, MTU, 1);
        by.answersMiddle(1, 9);
        by.answersRead(2, Opcodes.READ_RESPONSE_LAST, 8, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.requester.connection.traffic().count(Event.RETRANSMITTED)).isZero();
    }

    // ---- READs that were abandoned

    @Test
    void anAcknowledgementPassesAReadThatWasAbandoned() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        Outbox other = by.requester.outbox(0x101, 0x201);
        by.out.read(0, 8, 0);
        other.write(8, 0);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(1, 2);
        assertThat(other.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(by.requester.connection.isIdle()).isTrue();
    }

    @Test
    void theResponseOfAnAbandonedReadEndsItAndIsNotPlaced() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED);
        by.out.read(0, 8, 0);
        by.sends();
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.requester.connection.isIdle()).isTrue();
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR);
        assertThat(by.out.got(0)).isZero();
    }
}
