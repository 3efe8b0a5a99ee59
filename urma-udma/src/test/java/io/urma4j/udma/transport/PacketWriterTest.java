package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.RequestsByHand.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What all packets of a connection have, and which of them may share a datagram. */
class PacketWriterTest {
    private static final int LONGEST_SHARED = 512;

    /** A port that has room for one packet, and knows how it was begun. */
    private static final class OnePacket implements Port {
        private final Packet place = Packet.allocate();
        private boolean isShort;

        @Override
        public Packet begin(Route route) {
            isShort = false;
            return place;
        }

        @Override
        public Packet beginShort(Route route, int opcode, int payloadBytes, int mostBytes) {
            isShort = true;
            return place;
        }

        @Override
        public void end(int payloadBytes) {}

        @Override
        public boolean flush() {
            return false;
        }
    }

    private static boolean mayShare(ConnectionConfig.Builder config, int payloadBytes) {
        OnePacket port = new OnePacket();
        PacketWriter writer =
                new PacketWriter(config.build(), port, new Pair(Kind.RELIABLE_CONNECTED).left, new Traffic());
        writer.beginAnswer(writer.standard(Opcodes.READ_RESPONSE_ONLY), 0, payloadBytes, Bth.FIRST_TRANSMISSION, false);
        return port.isShort;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shortPacketsToAnUrma4jPeerMayShareADatagram(Kind kind) {
        assertThat(mayShare(ConnectionConfig.builder(kind, 1, 2), 0)).isTrue();
        assertThat(mayShare(ConnectionConfig.builder(kind, 1, 2), LONGEST_SHARED))
                .isTrue();
        assertThat(mayShare(ConnectionConfig.builder(kind, 1, 2), LONGEST_SHARED + 1))
                .isFalse();
    }

    @Test
    void noPacketToAForeignPeerSharesADatagram() {
        var foreign = ConnectionConfig.builder(Kind.RELIABLE_CONNECTED, 1, 2).foreignPeer();
        assertThat(mayShare(foreign, 0)).isFalse();
    }

    @Test
    void eachAnswerOfASharedConnectionNamesTheContextOfTheRequester() {
        RequestsByHand by = new RequestsByHand(Peer.SHARED);
        by.inbox.post(1);
        by.answers(
                by.read(0, 0, 3 * MTU, Region.KEY),
                by.atomic(1 + 2, 0, WorkOpcode.FADD, 8),
                by.packet(4, Opcodes.SEND_ONLY, 8),
                by.write(5, Opcodes.WRITE_ONLY, 8, 8, 99));
        assertThat(by.responder.sent)
                .hasSize(6)
                .allSatisfy(packet -> assertThat(Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH)))
                        .isEqualTo(Pair.LEFT));
    }
}
