package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.device.Host.CqRecord;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Whose packet it is: that of the peer whose address and port it came from, whatever numbers it has. */
class SourceTest {
    private static final int OTHER_PORT = 40_000;
    private static final long NOW = 1_000_000_000L;

    /** A packet source that differs from a host in its port alone. */
    private record Neighbour(Host host, int port) implements Source {
        @Override
        public long eidHigh() {
            return host.address.eidHigh();
        }

        @Override
        public long eidLow() {
            return host.address.eidLow();
        }
    }

    private final Host peer = new Host(1, Hosts.MTU_BYTES);
    private final Host home = new Host(2, Hosts.MTU_BYTES);
    private final Host.Cq arrivals = home.new Cq(16);
    private final Host.Receives receives = home.new Receives(arrivals, UnaryOperator.identity());
    private final Packet forged = Packet.allocate();
    private int queue;

    /** An RC Jetty at home, whose peer begins with PSN 22. */
    private void connect(boolean urma4j) {
        receives.post(4, 64);
        Host.Sends jetty = home
        .new Sends(SendQueueConfig.Kind.RC, home.new Cq(16), config -> config.receives(receives.handle, 0, 100));
        queue = jetty.number();
        home.card.connectRc(
                jetty.handle,
                ConnectionConfig.builder(peer.address, 99)
                        .psns(11, 22)
                        .urma4j(urma4j)
                        .build(),
                NOW);
    }

    /** Number of messages that have arrived once this one has come. */
    private int arrivedAfterSend(int psn, int port) {
        forged.begin(Opcodes.RC | Opcodes.SEND_ONLY, queue, psn);
        forged.lengthBytes(forged.payloadAt() + 8 + 4);
        home.card.receive(forged, new Neighbour(peer, port), NOW);
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

    /** A peer that was started anew is bound anew, and may have another port then. */
    @Test
    void aForeignPeerThatIsBoundAnewMayHaveAnotherPort() {
        connect(false);
        assertThat(arrivedAfterSend(22, OTHER_PORT)).isEqualTo(1);
        connect(false);

        assertThat(arrivedAfterSend(22, OTHER_PORT + 1)).isEqualTo(1);
    }
}
