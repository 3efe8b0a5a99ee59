package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The packets of a request: their opcodes, what replaces them if the payload is gone, and that they wait for room. */
class RequestPacketRulesTest {
    private static final long MS = 1_000_000;

    private static List<Integer> opcodes(AnswersByHand by) {
        by.sends();
        return by.requester.sent.stream().map(Packet::opcode).toList();
    }

    // ---- opcodes

    @Test
    void theLastPacketOfAMessageSaysWhatComesWithIt() {
        record Case(int opcode, long operand, int only, int last) {}
        int rc = Opcodes.RC;
        int ours = Opcodes.OURS_RC;
        for (Case one : List.of(
                new Case(WorkOpcode.SEND, 0, rc | Opcodes.SEND_ONLY, rc | Opcodes.SEND_LAST),
                new Case(WorkOpcode.SEND_IMM, 0xFFFF_FFFFL, rc | Opcodes.SEND_ONLY_IMM, rc | Opcodes.SEND_LAST_IMM),
                new Case(WorkOpcode.SEND_IMM, 1L << 32, ours | Opcodes.SEND_ONLY_IMM64, ours | Opcodes.SEND_LAST_IMM64),
                new Case(
                        WorkOpcode.SEND_INVALIDATE,
                        1,
                        rc | Opcodes.SEND_ONLY_INVALIDATE,
                        rc | Opcodes.SEND_LAST_INVALIDATE),
                new Case(WorkOpcode.WRITE, 0, rc | Opcodes.WRITE_ONLY, rc | Opcodes.WRITE_LAST),
                new Case(WorkOpcode.WRITE_IMM, 0xFFFF_FFFFL, rc | Opcodes.WRITE_ONLY_IMM, rc | Opcodes.WRITE_LAST_IMM),
                new Case(
                        WorkOpcode.WRITE_IMM,
                        1L << 32,
                        ours | Opcodes.WRITE_ONLY_IMM64,
                        ours | Opcodes.WRITE_LAST_IMM64),
                new Case(
                        WorkOpcode.WRITE_NOTIFY,
                        1,
                        ours | Opcodes.WRITE_ONLY_NOTIFY,
                        ours | Opcodes.WRITE_LAST_NOTIFY))) {
            AnswersByHand by = new AnswersByHand(Peer.URMA4J);
            by.out.post(one.opcode, 0, MTU, 0, one.operand, 0);
            assertThat(opcodes(by)).as("%s", one).containsExactly(one.only);
            by.out.post(one.opcode, 0, MTU + 1, 0, one.operand, 0);
            assertThat(opcodes(by)).as("%s", one).hasSize(2).endsWith(one.last);
        }
    }

    @Test
    void anAtomicIsThatOfRoceIfRoceHasIt() {
        record Case(Peer peer, int opcode, int size, int onWire) {}
        for (Case one : List.of(
                new Case(Peer.FOREIGN, WorkOpcode.CAS, 8, Opcodes.RC | Opcodes.COMPARE_SWAP),
                new Case(Peer.FOREIGN, WorkOpcode.FADD, 8, Opcodes.RC | Opcodes.FETCH_ADD),
                new Case(Peer.URMA4J, WorkOpcode.CAS, 8, Opcodes.RC | Opcodes.COMPARE_SWAP),
                new Case(Peer.URMA4J, WorkOpcode.CAS, 4, Opcodes.OURS_RC | Opcodes.ATOMIC),
                new Case(Peer.SHARED, WorkOpcode.FADD, 8, Opcodes.RD | Opcodes.FETCH_ADD),
                new Case(Peer.SHARED, WorkOpcode.FADD, 4, Opcodes.OURS_RD | Opcodes.ATOMIC),
                new Case(Peer.SHARED, WorkOpcode.SWAP, 8, Opcodes.OURS_RD | Opcodes.ATOMIC))) {
            AnswersByHand by = new AnswersByHand(one.peer);
            by.out.atomic(one.opcode, 0, one.size, 0, 1, 0);
            assertThat(opcodes(by)).as("%s", one).containsExactly(one.onWire);
            Packet packet = by.requester.sent.getFirst();
            if (Opcodes.has(one.onWire, Header.ATOMIC_KIND)) {
                int at = packet.at(Header.ATOMIC_KIND);
                assertThat(AtomicKind.opcode(packet.bytes(), at)).isEqualTo(one.opcode);
                assertThat(AtomicKind.sizeBytes(packet.bytes(), at)).isEqualTo(one.size);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestWithoutEffectSendsNothing(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.post(WorkOpcode.NOP, 0, 8, 0, 0, 0);
        assertThat(by.sends()).isEmpty();
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    // ---- which transmission

    private static List<Integer> transmissions(AnswersByHand by) {
        by.sends();
        return by.requester.sent.stream()
                .map(packet -> Bth.transmission(packet.bytes()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void transmissionsOfAPacketAreCounted(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, ConnectionConfig.Builder::selective);
        by.out.write(8, 0);
        by.out.write(8, 0);
        assertThat(transmissions(by)).containsExactly(1, 1);
        for (int transmission : new int[] {2, 3}) {
            by.pair.now = by.requester.connection.deadlineNanos();
            assertThat(transmissions(by)).as("of the oldest").containsExactly(transmission);
        }
        by.acknowledges(1, 2);
        by.out.write(8, 0);
        assertThat(transmissions(by)).as("of another").containsExactly(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAnswerToTheLastTransmissionIsTimed(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer, ConnectionConfig.Builder::selective);
        by.out.read(0, 8, 0);
        by.sends();
        by.pair.now = by.requester.connection.deadlineNanos();
        assertThat(by.sends()).containsExactly(0);
        by.pair.now += MS;
        by.answersTransmission(0, 2, 1);
        assertThat(by.shown("rttNanos")).isEqualTo(MS);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aRoundTripBeginsWithAPacketThatAsks(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.requester.room = 1;
        by.out.write(3 * MTU, 0);
        assertThat(by.sends()).containsExactly(0);
        by.pair.now += MS;
        by.requester.room = Integer.MAX_VALUE;
        assertThat(by.sends()).containsExactly(1, 2);
        by.pair.now += MS;
        by.acknowledges(2, 1);
        assertThat(by.shown("rttNanos")).isEqualTo(MS);
    }

    // ---- payload that is gone

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anEmptyRequestNeedsNoPayload(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.out.isBufferGone = true;
        by.out.write(0, 0);
        assertThat(by.sends()).containsExactly(0);
        by.acknowledges(0, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aConnectionOfOneQueueFailsIfItCannotRetransmit(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        for (int i = 0; i < 3; i++) {
            by.out.write(8, 0);
        }
        by.sends();
        by.out.isBufferGone = true;
        by.says(1, Aeth.NAK_SEQUENCE, 1);
        assertThat(by.sends()).isEmpty();
        assertThat(by.out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_ACCESS_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(by.requester.failures).containsExactly(WorkStatus.LOC_ACCESS_ERR);
    }

    @Test
    void aSharedConnectionEndsAMessageWhosePayloadIsGoneByOnePacket() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> config.windowPackets(2));
        by.out.send(4 * MTU);
        assertThat(by.sends()).containsExactly(0, 1);
        by.out.isBufferGone = true;
        by.acknowledges(1, 0);
        assertThat(by.sends()).containsExactly(2);
        Packet last = by.requester.sent.getFirst();
        assertThat(last.opcode()).isEqualTo(Opcodes.OURS_RD | Opcodes.RESYNC);
        assertThat(Bth.isSolicited(last.bytes())).as("it is the end").isTrue();
        by.acknowledges(2, 1);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.LOC_ACCESS_ERR);
        assertThat(by.sends()).isEmpty();
    }

    /** It has no PSN, though messages on both sides of it have. */
    @Test
    void aMessageThatWasNeverSentIsPassedByARetransmission() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, ConnectionConfig.Builder::selective);
        by.out.write(8, 0);
        assertThat(by.sends()).containsExactly(0);
        by.out.isBufferGone = true;
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        by.out.isBufferGone = false;
        for (int i = 0; i < 3; i++) {
            by.out.write(8, 0);
        }
        assertThat(by.sends()).containsExactly(1, 2, 3);
        by.reports(0, 0b111, 0);
        assertThat(by.sends()).containsExactly(0);
        by.acknowledges(3, 4);
        assertThat(by.out.statuses()).containsExactly(0, WorkStatus.LOC_ACCESS_ERR, 0, 0, 0);
    }

    // ---- room

    @ParameterizedTest
    @ValueSource(ints = {WorkOpcode.WRITE, WorkOpcode.SEND, WorkOpcode.READ, WorkOpcode.FADD, WorkOpcode.SWAP})
    void aRequestWaitsForRoom(int opcode) {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J);
        by.requester.room = 0;
        by.out.post(opcode, 0, 8, 0, 0, 0);
        assertThat(by.steps()).as("there is more to send").isTrue();
        by.requester.room = 1;
        assertThat(by.steps()).isFalse();
        assertThat(by.requester.sent).hasSize(1);
    }

    @Test
    void theEndOfAnAbandonedMessageWaitsForRoom() {
        AnswersByHand by = new AnswersByHand(Peer.SHARED, config -> config.windowPackets(2));
        by.out.send(4 * MTU);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.abandon(by.out, WorkStatus.WR_FLUSH_ERR);
        by.acknowledges(1, 0);
        by.requester.room = 0;
        assertThat(by.steps()).as("there is more to send").isTrue();
        by.requester.room = 1;
        assertThat(by.sends()).containsExactly(2);
    }

    // ---- RESYNC: an urma4j peer continues behind all PSNs that were abandoned

    private static AnswersByHand paused() {
        AnswersByHand by = new AnswersByHand(Peer.URMA4J, ConnectionConfig.Builder::selective);
        by.out.write(8, 0);
        by.out.write(8, 0);
        assertThat(by.sends()).containsExactly(0, 1);
        by.requester.connection.pause(by.pair.now);
        assertThat(by.out.statuses()).containsExactly(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR);
        return by;
    }

    private static AnswersByHand resumed() {
        AnswersByHand by = paused();
        assertThat(by.requester.connection.resume()).isTrue();
        by.out.write(8, 0);
        return by;
    }

    @Test
    void nothingPassesAResync() {
        AnswersByHand by = resumed();
        assertThat(opcodes(by)).containsExactly(Opcodes.OURS_RC | Opcodes.RESYNC);
        assertThat(by.sends()).as("once").isEmpty();
        by.acknowledges(1, 2);
        assertThat(by.sends()).as("what it abandoned").isEmpty();
        by.acknowledges(2, 2);
        assertThat(by.sends()).containsExactly(3);
        by.acknowledges(3, 3);
        assertThat(by.out.statuses()).endsWith(WorkStatus.SUCCESS).hasSize(3);
    }

    @Test
    void aResyncThatThePeerMissesIsRetransmitted() {
        AnswersByHand by = resumed();
        assertThat(by.sends()).containsExactly(2);
        assertThat(by.requester.connection.traffic().count(Event.RETRANSMITTED)).isZero();
        by.says(2, Aeth.NAK_SEQUENCE, 2);
        assertThat(opcodes(by)).containsExactly(Opcodes.OURS_RC | Opcodes.RESYNC);
        assertThat(by.requester.connection.traffic().count(Event.RETRANSMITTED)).isEqualTo(1);
        by.acknowledges(2, 2);
        assertThat(by.sends()).containsExactly(3);
    }

    @Test
    void aResyncWaitsForRoom() {
        AnswersByHand by = resumed();
        by.requester.room = 0;
        assertThat(by.steps()).as("there is more to send").isTrue();
        by.requester.room = 1;
        assertThat(by.steps()).as("the rest waits for its acknowledgement").isFalse();
        assertThat(by.requester.sent).hasSize(1);
    }

    @Test
    void anAcknowledgementOfWhatWasAbandonedChangesNothing() {
        AnswersByHand by = paused();
        by.acknowledges(1, 2);
        assertThat(by.out.results).hasSize(2);
        by.requester.connection.resume();
        assertThat(by.sends()).containsExactly(2);
    }
}
