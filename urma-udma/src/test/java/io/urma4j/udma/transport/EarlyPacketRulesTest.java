package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a responder keeps behind a gap, and what it reports of it, where only lost packets are retransmitted. */
class EarlyPacketRulesTest {
    private static RequestsByHand selective(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer, ConnectionConfig.Builder::selective);
        by.inbox.post(8);
        return by;
    }

    private static byte[] report(RequestsByHand by) {
        Packet last = by.responder.sent.getLast();
        return last.bytes()
                .segment()
                .asSlice(last.payloadAt(), last.payloadBytes())
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private static long count(RequestsByHand by, Event event) {
        return by.responder.connection.traffic().count(event);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void earlyPacketsAreExecutedWhenTheMissingOneIsThere(Peer peer) {
        RequestsByHand by = selective(peer);
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 4))).containsExactly("0 gap");
        assertThat(report(by)).containsExactly(1);
        assertThat(by.answers(by.packet(3, Opcodes.SEND_ONLY, 12))).containsExactly("0 gap");
        assertThat(report(by)).containsExactly(0b101);
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 0))).containsExactly("2 gap");
        assertThat(report(by)).containsExactly(1);
        assertThat(by.answers(by.packet(2, Opcodes.SEND_ONLY, 8))).containsExactly("3 ack");
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(0L, 4L, 8L, 12L);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anEarlyPacketThatArrivesTwiceIsReportedAsThat(Peer peer) {
        RequestsByHand by = selective(peer);
        Packet early = by.packet(2, Opcodes.SEND_ONLY, 4);
        by.answers(early);
        assertThat(by.answers(Pair.copy(early))).containsExactly("0 gap");
        byte[] report = report(by);
        assertThat(report).as("what is kept, padded, and what arrived twice").hasSize(OutOfOrder.TOLD_BYTES + 1);
        assertThat(report[0]).isEqualTo((byte) 0b10);
        assertThat(report[1]).isZero();
        assertThat(report[OutOfOrder.TOLD_BYTES]).isEqualTo((byte) 0b10);
        assertThat(count(by, Event.DUPLICATE)).isEqualTo(1);
        assertThat(count(by, Event.CONTRADICTED)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void twoEarlyPacketsOfOnePsnThatDifferAreBothDropped(Peer peer) {
        RequestsByHand template = selective(peer);
        Packet otherByte = template.packet(1, Opcodes.SEND_ONLY, 4);
        otherByte.bytes().setByte(otherByte.payloadAt() + 3, 1);
        Packet otherFirstByte = template.packet(1, Opcodes.SEND_ONLY, 4);
        otherFirstByte.bytes().setByte(otherFirstByte.payloadAt(), 1);
        for (Packet other : List.of(
                otherByte,
                otherFirstByte,
                template.packet(1, Opcodes.SEND_ONLY, 5),
                template.packet(1, Opcodes.SEND_LAST, 4))) {
            RequestsByHand by = selective(peer);
            by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
            by.answers(other);
            assertThat(count(by, Event.CONTRADICTED)).as("%s", other).isEqualTo(1);
            assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).contains("0 ack");
            assertThat(by.inbox.arrivals).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReportEndsWithTheLastPacketThatIsKept(Peer peer) {
        RequestsByHand by = selective(peer);
        by.answers(by.packet(9, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).containsExactly(0, 1);
        by.answers(by.packet(9, Opcodes.SEND_ONLY, 5));
        assertThat(report(by)).as("both were dropped").isEmpty();
        by.answers(by.packet(2, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).containsExactly(0b10);
    }

    /** The first three show that the packet before them is lost. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void furtherPacketsBehindAGapAreReportedIfTheyAskOrShowANewGap(Peer peer) {
        RequestsByHand by = selective(peer);
        for (int psn = 1; psn <= 3; psn++) {
            assertThat(answersToSilent(by, psn)).containsExactly("0 gap");
        }
        assertThat(answersToSilent(by, 4)).isEmpty();
        assertThat(by.answers(by.packet(5, Opcodes.SEND_ONLY, 4))).containsExactly("0 gap");
        assertThat(answersToSilent(by, 6)).isEmpty();
        assertThat(answersToSilent(by, 8)).containsExactly("0 gap");
    }

    /** The same of a packet that asks for no acknowledgement. */
    private static List<String> answersToSilent(RequestsByHand by, int psn) {
        Packet packet = by.packet(psn, Opcodes.SEND_ONLY, 4);
        byte asking = packet.bytes().getByte(8);
        packet.bytes().setByte(8, asking & 0x7F);
        by.responder.connection.receive(packet, by.pair.now, false);
        return by.answers();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAcknowledgedPacketThatArrivesTwiceIsReportedAsThat(Peer peer) {
        RequestsByHand by = selective(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 4), by.packet(1, Opcodes.SEND_ONLY, 4));
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).containsExactly("1 ack");
        assertThat(report(by)).as("backwards from the acknowledged one").containsExactly(0b10);
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 4))).containsExactly("1 ack");
        assertThat(report(by)).containsExactly(0b11);
        assertThat(by.answers(by.packet(2, Opcodes.SEND_ONLY, 4))).containsExactly("2 ack");
        assertThat(report(by)).as("nothing new arrived twice").isEmpty();
    }

    /** As far back as packets are kept ahead. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aPacketOfLongAgoThatArrivesTwiceIsNotReported(Peer peer) {
        RequestsByHand by = selective(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 4), by.packet(1, Opcodes.SEND_ONLY, 4));
        reads(by, 2, OutOfOrder.SLOTS);
        by.answers(by.packet(OutOfOrder.SLOTS, Opcodes.SEND_ONLY, 4));
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).containsExactly("1024 ack");
        assertThat(isReport(by)).isFalse();
        by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).hasSize(OutOfOrder.TOLD_BYTES).endsWith((byte) 0x80);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aPacketThatArrivedTwiceIsNotTakenForOneOfALaterWindow(Peer peer) {
        RequestsByHand by = selective(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 4));
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 4));
        int expected = ConnectionConfig.MAX_WINDOW_PACKETS - 1000;
        reads(by, 1, expected / 2);
        reads(by, expected / 2, expected);
        by.answers(by.packet(expected + 1, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).as("nothing that arrived twice").containsExactly(1);
    }

    /** A READ whose answers have these PSNs. */
    private static void reads(RequestsByHand by, int psn, int end) {
        long bytes = (long) (end - psn) * RequestsByHand.MTU;
        assertThat(by.answers(by.read(psn, 0, bytes, Region.KEY))).hasSize(end - psn);
    }

    private static boolean isReport(RequestsByHand by) {
        return Opcodes.isOurs(by.responder.sent.getLast().opcode());
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAnswerBeforeAReportMayTakeTheLastRoom(Peer peer) {
        RequestsByHand by = selective(peer);
        by.responder.room = 1;
        assertThat(by.answers(by.read(0, 0, 8, Region.KEY), by.packet(2, Opcodes.SEND_ONLY, 4)))
                .containsExactly("0 read of 8");
        by.responder.room = 1;
        assertThat(by.answers()).containsExactly("1 gap");
        by.responder.room = 10;
        by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
        by.responder.room = 1;
        assertThat(by.answers(by.read(3, 0, 8, Region.KEY), by.packet(2, Opcodes.SEND_ONLY, 4)))
                .containsExactly("3 read of 8");
        assertThat(isReport(by)).isFalse();
        by.responder.room = 1;
        assertThat(by.answers()).hasSize(1);
        assertThat(isReport(by)).isTrue();
        assertThat(report(by)).as("of 2, behind 2 or 3").containsExactly(peer == Peer.SHARED ? 0b10 : 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReportWaitsForRoom(Peer peer) {
        RequestsByHand by = selective(peer);
        by.responder.room = 0;
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 4))).isEmpty();
        by.responder.room = 1;
        assertThat(by.answers()).containsExactly("0 gap");
        by.responder.room = 10;
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 4));
        by.responder.room = 0;
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).isEmpty();
        by.responder.room = 1;
        assertThat(by.answers()).containsExactly("1 ack");
        assertThat(report(by)).containsExactly(0b10);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aPacketBeyondWhatIsKeptIsDropped(Peer peer) {
        RequestsByHand by = selective(peer);
        by.answers(by.packet(OutOfOrder.SLOTS, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).as("one too far").isEmpty();
        by.answers(by.packet(OutOfOrder.SLOTS - 1, Opcodes.SEND_ONLY, 4));
        assertThat(report(by)).hasSize(OutOfOrder.TOLD_BYTES);
    }
}
