package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.RequestsByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a responder answers to a request that has arrived before, and which transmission of it the answer names. */
class DuplicateRulesTest {
    private static RequestsByHand ready(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(4);
        return by;
    }

    private static Packet transmission(int number, Packet packet) {
        Bth.addAck(packet.bytes(), Bth.transmits(number));
        return packet;
    }

    /** Of the last answers, the transmissions that they name. */
    private static List<Integer> answered(RequestsByHand by) {
        return by.responder.sent.stream()
                .map(packet -> Bth.answeredTransmission(packet.bytes()))
                .toList();
    }

    private static List<Integer> operations(RequestsByHand by) {
        return by.responder.sent.stream()
                .map(packet -> Opcodes.operation(packet.opcode()))
                .toList();
    }

    // ---- transmissions

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAcknowledgementNamesTheTransmissionThatItsPsnArrivedBy(Peer peer) {
        RequestsByHand by = ready(peer);
        by.answers(transmission(1, by.packet(0, Opcodes.SEND_ONLY, 8)));
        assertThat(answered(by)).containsExactly(1);
        by.answers(transmission(2, by.packet(0, Opcodes.SEND_ONLY, 8)));
        assertThat(answered(by)).as("arrived again").containsExactly(2);
        by.answers(transmission(3, by.packet(1, Opcodes.SEND_ONLY, 8)));
        assertThat(answered(by)).containsExactly(3);
        by.answers(transmission(3, by.packet(0, Opcodes.SEND_ONLY, 8)));
        assertThat(answered(by)).as("caused by another PSN").containsExactly(Bth.NO_TRANSMISSION);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReadResponseNamesTheTransmissionOfTheWholeRequest(Peer peer) {
        RequestsByHand by = ready(peer);
        by.answers(transmission(1, by.read(0, 0, 2 * MTU, Region.KEY)));
        assertThat(answered(by)).containsExactly(1, 1);
        by.answers(transmission(2, by.read(0, 0, 2 * MTU, Region.KEY)));
        assertThat(answered(by)).containsExactly(2, 2);
        by.answers(transmission(3, by.read(1, MTU, MTU, Region.KEY)));
        assertThat(answered(by)).as("a part of it").containsExactly(Bth.NO_TRANSMISSION);
    }

    // ---- acknowledgements

    /** Another thread may write all the time: then only a copy has an ICRC that is right for sure. */
    @ParameterizedTest
    @EnumSource
    void anAnswerRefersToItsBytesTheFirstTimeAndIsACopyLater(Peer peer) {
        RequestsByHand by = ready(peer);
        List<Boolean> mayRefer = by.responder.region.mayRefer;
        by.answers(by.read(0, 0, 2 * MTU, Region.KEY));
        assertThat(mayRefer).containsExactly(true, true);

        by.answers(by.read(0, 0, 2 * MTU, Region.KEY));
        by.answers(by.read(1, MTU, MTU, Region.KEY));
        assertThat(mayRefer).containsExactly(true, true, false, false, false);

        mayRefer.clear();
        for (int i = 0; i < 4 * PayloadCopies.PER_REPEATED; i++) {
            by.answers(by.read(2 + i, 0, MTU, Region.KEY));
        }
        assertThat(mayRefer).as("of the next READs").startsWith(false).endsWith(true);
    }

    /** Linux does not name a READ: its response acknowledges it (WIRE §4.2). */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAcknowledgementNamesAReadOnASharedConnectionAlone(Peer peer) {
        RequestsByHand by = ready(peer);
        Packet send = by.packet(0, Opcodes.SEND_ONLY, 8);
        by.answers(send, by.read(1, 0, 2 * MTU, Region.KEY));
        assertThat(by.answers(send)).containsExactly(peer == Peer.SHARED ? "2 ack" : "0 ack");
    }

    /**
     * A PSN has 24 bits on the wire: 2^23 READ responses later, the peer would take the last acknowledged one for one ahead.
     * The READs have 2^14 PSNs each.
     */
    @ParameterizedTest
    @ValueSource(ints = {255, 256})
    void whatIsMoreThan4MillionPsnsBehindIsNotAcknowledged(int reads) {
        RequestsByHand by = new RequestsByHand(Peer.FOREIGN, config -> config.mtuBytes(256));
        by.inbox.post(4);
        Packet send = by.packet(0, Opcodes.SEND_ONLY, 8);
        assertThat(by.answers(send)).containsExactly("0 ack");
        int end = 1;
        for (int i = 0; i < reads; i++) {
            by.responder.region.isRevoked = false;
            by.responder.receive(by.read(end, 0, 256 << 14, Region.KEY));
            by.responder.region.isRevoked = true; // so that it needs no response
            assertThat(by.answers()).containsExactly(end + " access");
            end += 1 << 14;
        }

        assertThat(by.answers(send)).isEqualTo(reads < 256 ? List.of("0 ack") : List.of());

        Packet next = by.packet(end, Opcodes.SEND_ONLY, 8);
        assertThat(by.answers(next)).containsExactly(end + " ack");
        assertThat(by.answers(next)).as("once more").containsExactly(end + " ack");
    }

    // ---- refusals of a shared connection

    @Test
    void aRequesterThatGoesBackIsToldAllRefusalsAndThenEachAtItsPsn() {
        RequestsByHand by = ready(Peer.SHARED);
        Packet[] refused = new Packet[3];
        for (int psn = 0; psn < refused.length; psn++) {
            refused[psn] = by.write(psn, Opcodes.WRITE_ONLY, 8, 8, 99);
        }
        by.answers(refused);
        assertThat(by.refusals(refused[0])).containsExactly("0 access", "1 access", "2 access");
        assertThat(by.refusals(refused[1])).containsExactly("1 access");
        assertThat(by.refusals(refused[0])).as("once more").containsExactly("0 access", "1 access", "2 access");
    }

    @Test
    void aPacketThatComesAThousandTimesDrawsEachRefusalOnce() {
        RequestsByHand by = ready(Peer.SHARED);
        Packet[] refused = new Packet[100];
        for (int psn = 0; psn < refused.length; psn++) {
            refused[psn] = by.write(psn, Opcodes.WRITE_ONLY, 8, 8, 99);
        }
        List<String> first = by.refusals(refused);
        assertThat(first).hasSize(refused.length);
        for (int i = 0; i < 1000; i++) {
            by.responder.receive(refused[0]);
        }
        assertThat(by.refusals()).isEqualTo(first);
    }

    @Test
    void aRefusalIsKnownForAWindowAndGoneWhenItsPlaceIsUsedAnew() {
        RequestsByHand by = ready(Peer.SHARED);
        int window = ConnectionConfig.MAX_WINDOW_PACKETS;
        Packet refused = by.write(0, Opcodes.WRITE_ONLY, 8, 8, 99);
        by.answers(
                refused,
                by.read(1, 0, window / 2 * (long) MTU, Region.KEY),
                by.read(1 + window / 2, 0, (window / 2 - 1) * (long) MTU, Region.KEY));
        assertThat(by.refusals(refused)).as("a whole window later").containsExactly("0 access");

        Packet next = by.write(window, Opcodes.WRITE_ONLY, 8, 8);
        by.answers(next);
        assertThat(by.answers(next)).containsExactly(window + " ack");
        Packet read = by.read(window + 1, 0, 8, Region.KEY);
        by.answers(read);
        assertThat(by.answers(read)).containsExactly(window + 1 + " read of 8");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31})
    void eachPacketOfAMessageThatWasNotReadyIsToldTheSameWait(int timerCode) {
        RequestsByHand by = new RequestsByHand(Peer.SHARED);
        by.inbox.rnrTimerCode = timerCode;
        Packet first = by.packet(0, Opcodes.SEND_FIRST, MTU);
        Packet last = by.packet(1, Opcodes.SEND_LAST, 8);
        by.answers(first, last);
        for (Packet again : new Packet[] {first, last}) {
            by.answers(again);
            Packet answer = by.responder.sent.getFirst();
            assertThat(Aeth.syndrome(answer.bytes(), answer.at(Header.AETH))).isEqualTo(Aeth.rnrNak(timerCode));
        }
    }

    @Test
    void aReadThatWasRefusedIsRefusedAgainBeforeAnyAnswer() {
        RequestsByHand by = ready(Peer.SHARED);
        Packet read = by.read(0, 0, 8, Region.KEY);
        by.responder.room = 0;
        by.answers(read);
        by.responder.region.isRevoked = true;
        by.responder.room = 100;
        assertThat(by.refusals()).containsExactly("0 access");
        by.responder.region.isRevoked = false;
        assertThat(by.refusals(read)).startsWith("0 access");
    }

    // ---- READs in progress, towards a peer that goes back

    private static RequestsByHand halfRead(Peer peer) {
        RequestsByHand by = ready(peer);
        by.responder.room = 2;
        assertThat(by.answers(by.read(0, 0, 4 * MTU, Region.KEY))).hasSize(2);
        by.responder.room = 100;
        return by;
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestOfWhatIsInProgressSkipsNothing(Peer peer) {
        RequestsByHand by = halfRead(peer);
        assertThat(by.answers(by.read(3, 3 * MTU, MTU, Region.KEY)))
                .containsExactly("2 read of 1024", "3 read of 1024");
        assertThat(by.answers(by.read(3, 3 * MTU, MTU, Region.KEY)))
                .as("it is over")
                .containsExactly("3 read of 1024");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestOfTheNextPacketBeginsNoNewResponse(Peer peer) {
        RequestsByHand by = halfRead(peer);
        assertThat(by.answers(by.read(2, 2 * MTU, 2 * MTU, Region.KEY))).hasSize(2);
        assertThat(operations(by)).containsExactly(Opcodes.READ_RESPONSE_MIDDLE, Opcodes.READ_RESPONSE_LAST);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestOfWhatWasSentBeginsThere(Peer peer) {
        RequestsByHand by = halfRead(peer);
        assertThat(by.answers(by.read(1, MTU, 3 * MTU, Region.KEY))).hasSize(3);
        assertThat(operations(by))
                .containsExactly(Opcodes.READ_RESPONSE_FIRST, Opcodes.READ_RESPONSE_MIDDLE, Opcodes.READ_RESPONSE_LAST);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestWithAnotherEndIsAnotherRequest(Peer peer) {
        RequestsByHand by = halfRead(peer);
        assertThat(by.answers(by.read(2, 2 * MTU, MTU, Region.KEY))).containsExactly("2 read of 1024");
        assertThat(operations(by)).containsExactly(Opcodes.READ_RESPONSE_ONLY);
    }
}
