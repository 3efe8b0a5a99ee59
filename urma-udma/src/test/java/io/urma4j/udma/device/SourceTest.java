package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.device.Host.CqRecord;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Whose packet it is: that of the peer whose address and port it came from, and whose secret it has. */
class SourceTest {
    private static final int OTHER_PORT = 40_000;
    private static final long SECRET = 0x1234_5678_9ABC_DEF0L;
    private static final long NOW = 1_000_000_000L;

    /** At the address of a host. */
    private record Neighbour(Host host, int port, long secret) implements Source {
        @Override
        public long eidHigh() {
            return host.address.eidHigh();
        }

        @Override
        public long eidLow() {
            return host.address.eidLow();
        }
    }

    private record Way(Host.Address to, long secret) implements Route {
        @Override
        public int mtuBytes() {
            return to.mtuBytes();
        }

        @Override
        public long eidHigh() {
            return to.eidHigh();
        }

        @Override
        public long eidLow() {
            return to.eidLow();
        }

        @Override
        public int port() {
            return to.port();
        }
    }

    private final Host peer = new Host(1, Hosts.MTU_BYTES);
    private final Host home = new Host(2, Hosts.MTU_BYTES);
    private final Host.Cq arrivals = home.new Cq(16);
    private final Host.Receives receives = home.new Receives(arrivals, UnaryOperator.identity());
    private final Packet forged = Packet.allocate();
    private int queue;
    private int jettyHandle;

    private void connect(boolean urma4j) {
        connect(urma4j, IpHeaders.NO_SECRET);
    }

    /** An RC Jetty at home, whose peer begins with PSN 22. */
    private void connect(boolean urma4j, long secret) {
        receives.post(4, 64);
        Host.Sends jetty = home
        .new Sends(SendQueueConfig.Kind.RC, home.new Cq(16), config -> config.receives(receives.handle, 0, 100));
        queue = jetty.number();
        jettyHandle = jetty.handle;
        home.card.connectRc(
                jetty.handle,
                CardConnectionConfig.builder(home.port(new Way(peer.address, secret)), 99)
                        .psns(11, 22)
                        .urma4j(urma4j)
                        .build(),
                NOW);
    }

    /** Number of messages that have arrived once this one has come. */
    private int arrivedAfterSend(int psn, int port) {
        return arrivedAfterSend(psn, port, IpHeaders.NO_SECRET);
    }

    private int arrivedAfterSend(int psn, int port, long secret) {
        forged.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue, psn);
        forged.lengthBytes(forged.payloadAt() + 8 + 4);
        return arrivedAfter(forged, new Neighbour(peer, port, secret));
    }

    private int arrivedAfter(Packet packet, Source source) {
        home.card.receive(packet, source, NOW);
        home.card.step(NOW);
        int count = 0;
        for (CqRecord one : arrivals.pollAll()) {
            assertThat(one.has(Cqe.RECEIVE)).isTrue();
            count++;
        }
        return count;
    }

    @Test
    void aPacketFromAnotherPortOfThePeersAddressIsNobodys() {
        connect(true);

        assertThat(arrivedAfterSend(22, OTHER_PORT)).isZero();
        assertThat(home.card.dropped()).isEqualTo(1);
        assertThat(arrivedAfterSend(22, peer.address.port())).isEqualTo(1);
    }

    @Test
    void theFirstPacketInOrderOfAForeignPeerSaysItsPort() {
        connect(false);

        assertThat(arrivedAfterSend(30, 1000)).as("out of order").isZero();
        assertThat(arrivedAfterSend(22, OTHER_PORT)).as("in order").isEqualTo(1);
        assertThat(arrivedAfterSend(23, 1000)).as("from another port").isZero();
        assertThat(arrivedAfterSend(23, peer.address.port()))
                .as("from that of RoCE")
                .isZero();
        assertThat(home.card.dropped()).isEqualTo(2);
        assertThat(arrivedAfterSend(23, OTHER_PORT)).isEqualTo(1);
    }

    /** The registry remembers the connection that it was last asked for, as long as that lives. */
    @Test
    void anEndedConnectionIsNotFound() {
        connect(true);
        assertThat(arrivedAfterSend(22, peer.address.port())).isEqualTo(1);

        home.card.disconnectRc(jettyHandle, NOW);

        assertThat(arrivedAfterSend(23, peer.address.port())).isZero();
        assertThat(home.card.dropped()).isEqualTo(1);
    }

    /** A peer that was started anew is bound anew, and may have another port then. */
    @Test
    void aForeignPeerThatIsBoundAnewMayHaveAnotherPort() {
        connect(false);
        assertThat(arrivedAfterSend(22, OTHER_PORT)).isEqualTo(1);
        connect(false);

        assertThat(arrivedAfterSend(22, OTHER_PORT + 1)).isEqualTo(1);
    }

    // ---- the secret

    @Test
    void aPacketOfAPeerWithASecretMustHaveIt() {
        connect(true, SECRET);
        int port = peer.address.port();

        assertThat(arrivedAfterSend(22, port)).as("with the ICRC of RoCE").isZero();
        assertThat(arrivedAfterSend(22, port, SECRET + 1)).as("with another").isZero();
        assertThat(home.card.dropped()).isEqualTo(2);
        assertThat(arrivedAfterSend(22, port, SECRET)).isEqualTo(1);
    }

    /** The port asks before it checks: what does not come from the peer must have the ICRC of RoCE, and is nobody's. */
    @Test
    void theSecretThatAPacketNeedsIsThatOfThePeerThatItComesFrom() {
        connect(true, SECRET);
        forged.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue, 22);
        forged.lengthBytes(forged.payloadAt() + 8 + 4);

        assertThat(home.card.secretOf(forged, peer.address)).isEqualTo(SECRET);
        assertThat(home.card.secretOf(forged, new Neighbour(peer, OTHER_PORT, SECRET)))
                .isEqualTo(IpHeaders.NO_SECRET);
        assertThat(home.card.secretOf(forged, home.address)).isEqualTo(IpHeaders.NO_SECRET);
        forged.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue + 1, 22);
        assertThat(home.card.secretOf(forged, peer.address)).isEqualTo(IpHeaders.NO_SECRET);
        forged.begin(Opcodes.UD | Opcodes.SEND_ONLY, queue, 22);
        assertThat(home.card.secretOf(forged, peer.address)).isEqualTo(IpHeaders.NO_SECRET);
        forged.begin(Opcodes.CNP, queue, 0);
        assertThat(home.card.secretOf(forged, peer.address)).isEqualTo(SECRET);
    }

    /** The first packet of a bundle says which secret the whole has: what else is in it must be of the same peer. */
    @Test
    void aBundleThatBeginsWithANumberOfNobodyBringsNothingToAPeerWithASecret() {
        connect(true, SECRET);
        Packet bundle = Packet.allocate();
        bundle.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue + 1, 22);
        int bytes = Bundle.begin(bundle, 8);
        forged.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue, 22);
        bytes = Bundle.add(bundle, bytes, forged, 8);
        bundle.lengthBytes(bundle.payloadAt() + bytes + 4);

        assertThat(home.card.secretOf(bundle, peer.address)).isEqualTo(IpHeaders.NO_SECRET);
        assertThat(arrivedAfter(bundle, peer.address)).isZero();
        assertThat(home.card.dropped()).isEqualTo(2);
    }

    @Test
    void theSecretOfABundleIsThatOfItsFirstPacket() {
        connect(true, SECRET);
        Packet bundle = Packet.allocate();
        bundle.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue, 22);
        int bytes = Bundle.begin(bundle, 8);
        bundle.lengthBytes(bundle.payloadAt() + bytes + 4);

        assertThat(home.card.secretOf(bundle, peer.address)).isEqualTo(SECRET);
        assertThat(arrivedAfter(bundle, new Neighbour(peer, peer.address.port(), SECRET)))
                .isEqualTo(1);
    }
}
