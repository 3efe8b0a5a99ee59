package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.RequestsByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection whose port has no room: what is left, what the owner learns of it, and what is sent once there is room. */
class FullPortTest {
    private static RequestsByHand full(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(4);
        by.responder.room = 0;
        return by;
    }

    private static boolean steps(Pair.End end, Pair pair) {
        return end.connection.step(pair.now, FlushHint.FLUSH);
    }

    // ---- answers

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAcknowledgementIsLeftUntilThereIsRoom(Peer peer) {
        RequestsByHand by = full(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 8));
        assertThat(by.responder.connection.hasLeft()).isTrue();
        assertThat(steps(by.responder, by.pair)).isTrue();
        by.responder.room = 1;
        assertThat(by.answers()).containsExactly("0 ack");
        assertThat(by.responder.connection.hasLeft()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aGapThatIsNotReportedLeavesTheAcknowledgementBeforeIt(Peer peer) {
        RequestsByHand by = full(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 8), by.packet(2, Opcodes.SEND_ONLY, 8));
        assertThat(by.responder.connection.hasLeft()).isTrue();
        by.responder.room = 100;
        assertThat(by.answers()).as("it acknowledges as well").containsExactly("1 gap");
        assertThat(by.responder.connection.hasLeft()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void aRefusalThatIsNotToldLeavesTheAcknowledgementBeforeIt(Peer peer) {
        RequestsByHand by = full(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 8), by.write(1, Opcodes.WRITE_ONLY, 8, 8, 99));
        assertThat(by.responder.connection.hasLeft()).isTrue();
        by.responder.room = 100;
        assertThat(by.answers()).as("it acknowledges as well").containsExactly("1 access");
        assertThat(by.responder.connection.hasLeft()).isFalse();
    }

    @Test
    void aRefusalOfASharedConnectionIsLeftUntilThereIsRoom() {
        RequestsByHand by = full(Peer.SHARED);
        assertThat(by.answers(by.write(0, Opcodes.WRITE_ONLY, 8, 8, 99))).isEmpty();
        by.responder.room = 100;
        assertThat(by.answers()).containsExactly("0 access", "0 ack");
    }

    /** The message arrived again meanwhile, and was executed. */
    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "FOREIGN"})
    void noMessageThatIsExecutedIsToldNotToBeReady(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.responder.room = 0;
        Packet send = by.packet(0, Opcodes.SEND_ONLY, 8);
        by.answers(send);
        by.inbox.post(1);
        by.answers(send);
        assertThat(by.inbox.arrivals).hasSize(1);
        by.responder.room = 100;
        assertThat(by.answers()).containsExactly("0 ack");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aStepSendsABurstOfAnswersAndTellsThatThereIsMore(Peer peer) {
        RequestsByHand by = full(peer);
        by.answers(by.read(0, 0, 100 * MTU, Region.KEY));
        by.responder.room = 200;
        assertThat(steps(by.responder, by.pair)).isTrue();
        assertThat(by.responder.sent).hasSize(64);
        assertThat(steps(by.responder, by.pair)).isFalse();
        assertThat(by.responder.sent).hasSize(100);
    }

    // ---- what goes before answers

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aNoticeOfCongestionIsLeftAndNothingPassesIt(Peer peer) {
        RequestsByHand by = full(peer);
        Packet marked = by.packet(0, Opcodes.SEND_ONLY, 8);
        Bth.notice(marked.bytes(), true, false);
        by.answers(marked);
        assertThat(steps(by.responder, by.pair)).isTrue();
        by.responder.room = 1;
        by.answers();
        assertThat(by.responder.sent).extracting(Packet::opcode).containsExactly(Opcodes.CNP);
        by.responder.room = 100;
        assertThat(by.answers()).containsExactly("0 ack");
    }

    /** The response before it has left other bytes there. */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void aNoticeOfCongestionHoldsZeros(Peer peer) {
        RequestsByHand by = full(peer);
        by.responder.room = 100;
        by.responder.region.bytes.asSlice(0, 64).fill((byte) 7);
        Packet marked = by.packet(1, Opcodes.SEND_ONLY, 8);
        Bth.notice(marked.bytes(), true, false);
        by.answers(by.read(0, 0, 64, Region.KEY));
        by.answers(marked);
        Packet notice = by.responder.sent.getFirst();
        assertThat(notice.opcode()).isEqualTo(Opcodes.CNP);
        assertThat(notice.payloadBytes()).isEqualTo(16);
        for (int i = 0; i < 16; i++) {
            assertThat(notice.bytes().getByte(notice.payloadAt() + i))
                    .as("byte %d", i)
                    .isZero();
        }
    }

    // ---- requests

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aRequestWithoutRoomIsSentByALaterStep(Peer peer) {
        AnswersByHand by = new AnswersByHand(peer);
        by.requester.room = 0;
        by.out.write(8, 0);
        assertThat(by.sends()).isEmpty();
        assertThat(steps(by.requester, by.pair)).isTrue();
        by.requester.room = 1;
        assertThat(by.sends()).isEqualTo(List.of(0));
        assertThat(steps(by.requester, by.pair)).isFalse();
    }

    // ---- connections that have failed

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aFailedConnectionSendsNoAnswerThatIsLeft(Peer peer) {
        RequestsByHand by = full(peer);
        by.answers(by.packet(0, Opcodes.SEND_ONLY, 8));
        by.responder.connection.fail(WorkStatus.ACK_TIMEOUT_ERR, by.pair.now);
        by.responder.room = 100;
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 8))).isEmpty();
        assertThat(by.inbox.arrivals).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aPausedConnectionAnswersInBursts(Peer peer) {
        RequestsByHand by = full(peer);
        by.responder.connection.pause(by.pair.now);
        by.answers(by.read(0, 0, 100 * MTU, Region.KEY));
        by.responder.room = 200;
        assertThat(steps(by.responder, by.pair)).isTrue();
        assertThat(by.responder.sent).hasSize(64);
        assertThat(steps(by.responder, by.pair)).isFalse();
        assertThat(by.responder.sent).hasSize(100);
    }
}
