package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutgoingBatchTest {
    private static final int SEND = Opcodes.RC | Opcodes.SEND_ONLY;
    private static final int MTU = 256;

    private final Route one = new Host.Address(1, MTU);
    private final Route other = new Host.Address(2, MTU);
    private final List<String> left = new ArrayList<>();
    private int room = Integer.MAX_VALUE;
    private boolean isBlocked;
    private final OutgoingBatch port = new OutgoingBatch(new Port() {
        private final Packet place = Packet.allocate();
        private String to = "";

        @Override
        public Packet begin(Route route) {
            if (room == 0) {
                return null;
            }
            to = route.eidLow() + ":";
            return place;
        }

        @Override
        public void end(int payloadBytes) {
            room--;
            place.lengthBytes(place.payloadAt() + payloadBytes + (-payloadBytes & 3) + 4);
            left.add(to + psns(place));
        }

        @Override
        public boolean flush() {
            left.add("flush");
            return isBlocked;
        }
    });

    /** The PSNs of what is in it. */
    private static String psns(Packet packet) {
        if (!Bundle.is(packet)) {
            return " " + Bth.psn(packet.bytes());
        }
        StringBuilder text = new StringBuilder(" [");
        for (Packet one : Bundle.apart(packet)) {
            text.append(' ').append(Bth.psn(one.bytes()));
        }
        return text.append(" ]").toString();
    }

    private boolean sendShort(Route route, int psn, int payloadBytes) {
        return end(port.beginShort(route, SEND, payloadBytes, MTU), psn, payloadBytes);
    }

    private boolean send(Route route, int psn) {
        return end(port.begin(route), psn, 0);
    }

    private boolean end(Packet packet, int psn, int payloadBytes) {
        if (packet == null) {
            return false;
        }
        packet.begin(SEND, 5, psn);
        port.end(payloadBytes);
        return true;
    }

    @Test
    void whatIsAloneLeavesAsItIs() {
        sendShort(one, 1, 8);
        port.flush();

        assertThat(left).containsExactly("1: 1", "flush");
    }

    @Test
    void whatFollowsGoesAlong() {
        sendShort(one, 1, 8);
        sendShort(one, 2, 0);
        sendShort(one, 3, 5);
        port.flush();
        sendShort(one, 4, 8);
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 3 ]", "flush", "1: 4", "flush");
    }

    @Test
    void eachPeerHasItsOwn() {
        sendShort(one, 1, 8);
        sendShort(one, 2, 8);
        sendShort(other, 3, 8);
        sendShort(one, 4, 8);
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 ]", "2: 3", "1: 4", "flush");
    }

    @Test
    void whatIsNotToShareEndsIt() {
        sendShort(one, 1, 8);
        sendShort(one, 2, 8);
        send(one, 3);
        sendShort(one, 4, 8);
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 ]", "1: 3", "1: 4", "flush");
    }

    /** A header, 12 bytes of BTH and 100 of payload: two of them fit into 256, and 24 bytes more. */
    @Test
    void itIsNoLongerThanTheMtu() {
        sendShort(one, 1, 100);
        sendShort(one, 2, 99);
        sendShort(one, 3, 8);
        sendShort(one, 4, 0);
        sendShort(one, 5, MTU);
        sendShort(one, 6, 0);
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 3 ]", "1: 4", "1: 5", "1: 6", "flush");
    }

    @Test
    void whatWasBegunAndNotEndedNeverLeaves() {
        port.beginShort(one, SEND, 8, MTU);
        sendShort(one, 1, 8);
        port.beginShort(one, SEND, 8, MTU);
        sendShort(one, 2, 8);
        port.beginShort(one, SEND, 8, MTU);
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 ]", "flush");
    }

    @Test
    void withoutRoomWhatIsOpenTakesMoreAndNothingElseBegins() {
        room = 1;

        sendShort(one, 1, 8);
        assertThat(sendShort(one, 2, 8)).isTrue();
        assertThat(sendShort(other, 3, 8)).isFalse();
        assertThat(sendShort(one, 4, 8)).isFalse();
        assertThat(send(one, 5)).isFalse();
        port.flush();

        assertThat(left).containsExactly("1: [ 1 2 ]", "flush");
    }

    /** Otherwise a port with space wakes the engine at once, again and again, and nothing leaves. */
    @Test
    void whatTheNetworkDidNotAcceptIsFlushedAgain() {
        isBlocked = true;
        sendShort(one, 1, 8);
        assertThat(port.flush()).isTrue();
        assertThat(port.flush()).isTrue();
        isBlocked = false;
        assertThat(port.flush()).isFalse();
        assertThat(port.flush()).isFalse();

        assertThat(left).containsExactly("1: 1", "flush", "flush", "flush");
    }
}
