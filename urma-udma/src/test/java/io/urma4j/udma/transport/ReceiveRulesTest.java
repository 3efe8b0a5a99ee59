package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.RequestsByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Receives that a message takes, does not need, or finds none; and what that means for packets that are kept behind it. */
class ReceiveRulesTest {
    private static RequestsByHand selective() {
        return new RequestsByHand(Peer.URMA4J, ConnectionConfig.Builder::selective);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anEmptyMessageTouchesNoBuffer(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(1);
        by.inbox.isBufferGone = true;
        assertThat(by.refusals(by.packet(0, Opcodes.SEND_ONLY, 0))).isEmpty();
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::status).containsExactly(WorkStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aWriteThatFailsAtItsLastPacketGivesItsReceiveBack(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(2);
        by.answers(by.write(0, Opcodes.WRITE_FIRST, MTU, MTU + 8));
        by.responder.region.isRevoked = true;
        assertThat(by.refusals(by.packet(1, Opcodes.WRITE_LAST_IMM, 8))).containsExactly("1 access");
        assertThat(by.inbox.posted()).isEqualTo(2);
        assertThat(by.inbox.underWay()).isZero();
        assertThat(by.inbox.arrivals).isEmpty();
    }

    // ---- with packets that are kept behind a gap

    @Test
    void aKeptMessageWithoutAReceiveIsRefusedOnceAndExecutedWhenItIsRetransmitted() {
        RequestsByHand by = selective();
        by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
        assertThat(by.answers(by.write(0, Opcodes.WRITE_ONLY, 8, 8))).contains("1 rnr");
        assertThat(by.responder.connection.traffic().count(Event.RNR_SENT)).isEqualTo(1);
        by.inbox.post(1);
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 4))).containsExactly("1 ack");
        assertThat(by.inbox.arrivals).hasSize(1);
    }

    @Test
    void aMessageWithoutAReceiveIsNoGap() {
        RequestsByHand by = selective();
        by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).containsExactly("0 rnr");
        by.inbox.post(2);
        assertThat(by.answers(by.packet(0, Opcodes.SEND_ONLY, 4))).containsExactly("1 ack");
    }

    /** What the requester has abandoned has the PSNs of what follows. */
    @Test
    void whatIsKeptIsDroppedWhenTheRequesterBeginsAnewAtTheExpectedPacket() {
        RequestsByHand by = selective();
        by.inbox.post(2);
        by.answers(by.packet(1, Opcodes.SEND_ONLY, 4));
        assertThat(by.answers(by.resync(0, true))).containsExactly("0 ack");
        assertThat(by.inbox.arrivals).isEmpty();
        assertThat(by.answers(by.packet(1, Opcodes.SEND_ONLY, 12))).containsExactly("1 ack");
        assertThat(by.inbox.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly(12L);
    }
}
