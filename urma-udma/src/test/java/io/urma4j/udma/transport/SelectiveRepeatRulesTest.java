package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.AnswersByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a requester retransmits for a report of the responder, and what takes a loss back. */
class SelectiveRepeatRulesTest {
    private static final long MS = 1_000_000;
    private static final int LARGEST_WINDOW = ConnectionConfig.MAX_WINDOW_PACKETS;

    private static AnswersByHand writes(Peer peer, int count) {
        AnswersByHand by = AnswersByHand.writes(peer, count, ConnectionConfig.Builder::selective);
        by.pair.now += MS;
        return by;
    }

    /** What the responder has behind the PSN that it expects. */
    private static void reports(AnswersByHand by, int psn, int msn, byte[] report) {
        arrives(by, psn, Aeth.NAK_SEQUENCE, msn, report);
    }

    /** What has arrived twice, backwards from the PSN that is acknowledged. */
    private static void reportsTwice(AnswersByHand by, int psn, int msn, byte[] report) {
        arrives(by, psn, Aeth.ACK, msn, report);
    }

    /** The report is of whole words. All bits behind it are set. */
    private static void arrives(AnswersByHand by, int psn, int syndrome, int msn, byte[] report) {
        ConnectionConfig config = by.requester.connection.config();
        Packet packet = Packet.allocate();
        packet.bytes().segment().fill((byte) 0xFF);
        int ours = config.isShared() ? Opcodes.OURS_RD : Opcodes.OURS_RC;
        packet.begin(ours | Opcodes.SELECTIVE_ACK, Pair.LEFT, config.firstSendPsn() + psn & Bth.MAX_24);
        if (config.isShared()) {
            Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, Pair.LEFT);
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, msn);
        for (int i = 0; i < report.length; i++) {
            packet.bytes().setByte(packet.payloadAt() + i, report[i]);
        }
        packet.lengthBytes(packet.payloadAt() + report.length + Icrc.BYTES);
        by.requester.connection.receive(packet, by.pair.now, false);
    }

    private static long spurious(AnswersByHand by) {
        Map<String, Long> counters = new HashMap<>();
        by.requester.connection.forEachCounter(counters::put);
        return counters.getOrDefault("spurious", -1L);
    }

    // ---- packets

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aMissingPacketIsRetransmittedWhenItsTimeIsOver(Peer peer) {
        AnswersByHand by = writes(peer, 4);
        reports(by, 0, 0, new byte[] {1, 0, 0, 0});
        assertThat(by.requester.connection.deadlineNanos()).isEqualTo(by.pair.now + MS / 4);
        by.pair.now += MS / 4 - 1;
        assertThat(by.sends()).isEmpty();
        by.pair.now++;
        assertThat(by.sends()).containsExactly(0);
    }

    /** A count of messages that is wrong shows that a refusal was lost: the responder sees all of it once more. */
    @Test
    void aWrongCountMakesItGoBackOnceUntilSomethingIsAcknowledged() {
        AnswersByHand by = writes(Peer.SHARED, 3);
        by.acknowledges(2, 2);
        assertThat(by.sends()).containsExactly(0, 1, 2);
        by.acknowledges(2, 2);
        assertThat(by.sends()).as("is in flight").isEmpty();
        by.acknowledges(0, 1);
        by.acknowledges(2, 2);
        assertThat(by.sends()).containsExactly(1, 2);
    }

    // ---- answers

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void lostAnswersAreRequestedAsFarAsThePortHasRoom(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 3 * MTU, 0);
        by.out.read(0, 3 * MTU, 0);
        by.out.read(0, 8, 0);
        assertThat(by.sends()).containsExactly(0, 3, 6);
        by.answersRead(6, Opcodes.READ_RESPONSE_ONLY, 8, 3);
        by.requester.room = 1;
        assertThat(by.sends()).containsExactly(0);
        by.requester.room = 1;
        assertThat(by.sends()).containsExactly(3);
        by.requester.room = 1;
        assertThat(by.sends()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void anAcknowledgementThatWaitedCountsWhenTheLostAnswerArrives(Peer peer) {
        AnswersByHand by = AnswersByHand.selective(peer);
        by.out.read(0, 8, 0);
        by.out.write(8, 0);
        by.sends();
        by.acknowledges(1, 2);
        assertThat(by.out.results).isEmpty();
        assertThat(by.sends()).containsExactly(0);
        by.answersRead(0, Opcodes.READ_RESPONSE_ONLY, 8, 1);
        assertThat(by.out.statuses()).containsExactly(0, 0);
    }

    // ---- packets that arrived twice

    /** Ten packets, of which the first was retransmitted for a loss, and all are acknowledged. */
    private static AnswersByHand firstRetransmitted(Peer peer) {
        AnswersByHand by = writes(peer, 10);
        reports(by, 0, 0, new byte[] {0b111, 0, 0, 0});
        assertThat(by.sends()).containsExactly(0);
        by.pair.now += MS;
        by.acknowledges(9, 10);
        assertThat(by.out.results).hasSize(10);
        return by;
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aPacketThatArrivedTwiceTakesItsLossBack(Peer peer) {
        AnswersByHand by = firstRetransmitted(peer);
        reportsTwice(by, 9, 10, new byte[] {(byte) 0xFF, 1, 0, 0});
        assertThat(spurious(by)).as("all others").isZero();
        reportsTwice(by, 9, 10, new byte[] {0, 0b10, 0, 0});
        assertThat(spurious(by)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aReportEndsWithItsLastByte(Peer peer) {
        AnswersByHand by = firstRetransmitted(peer);
        for (int i = 10; i < 40; i++) {
            by.out.write(8, 0);
        }
        by.sends();
        by.acknowledges(25, 26);
        by.sends();
        by.acknowledges(32, 33);
        reportsTwice(by, 32, 33, new byte[4]);
        assertThat(spurious(by)).isZero();
        reportsTwice(by, 31, 33, new byte[] {0, 0, 0, (byte) 0x80});
        assertThat(spurious(by)).isEqualTo(1);
    }

    /** With the largest window the next new packet takes the place of the oldest that a report can name. */
    @Test
    void aReportNamesWhatWasSentInTheLargestWindow() {
        AnswersByHand by = firstRetransmitted(Peer.URMA4J);
        int end = 10;
        while (end < LARGEST_WINDOW) {
            int packets = Math.min(8, LARGEST_WINDOW - end);
            by.out.write(packets * MTU, 0);
            assertThat(by.sends()).hasSize(packets);
            by.acknowledges(end + packets - 2, 0);
            end += packets;
        }
        byte[] next = new byte[OutOfOrder.TOLD_BYTES + 4];
        next[OutOfOrder.TOLD_BYTES] = 1;
        reports(by, LARGEST_WINDOW - 1, 0, next);
        assertThat(spurious(by)).as("was never sent").isZero();
        reportsTwice(by, 1, 0, new byte[] {0b10, 0, 0, 0});
        assertThat(spurious(by)).as("the oldest").isEqualTo(1);
    }
}
