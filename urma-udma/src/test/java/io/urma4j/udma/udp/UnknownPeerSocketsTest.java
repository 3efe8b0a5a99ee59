package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.udp.PortPair.Received;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A port with sockets for strangers, in this kernel. */
class UnknownPeerSocketsTest {
    private static final long DEADLINE_NANOS = 10_000_000_000L;
    private static final int DATAGRAM = Opcodes.UD | Opcodes.SEND_ONLY;
    private static final int FLOOD = 20_000;

    private final UdpPort home = apart("127.0.72.1", null);
    private final UdpPort peer = PortPair.port("127.0.72.2", null);
    private final UdpPort stranger = PortPair.port("127.0.72.3", null);
    private final List<Received> received = new ArrayList<>();
    private final PacketSink sink = (packet, origin) -> received.add(Received.of(packet, origin));

    @AfterEach
    void close() {
        home.close();
        peer.close();
        stranger.close();
    }

    private static UdpPort apart(String address, IoBackend backend) {
        UdpPort port = UdpPort.open(PortOptions.of(InetAddress.ofLiteral(address))
                .withBackend(backend)
                .withStrangersApart(true));
        assumeTrue(backend == IoBackend.CHANNEL || port.strangersNote().isEmpty(), port.strangersNote());
        return port;
    }

    @Test
    void whatStrangersSendIsReceivedApart() {
        know(peer);
        send(stranger, DATAGRAM, 1);
        send(stranger, Opcodes.RC | Opcodes.SEND_ONLY, 2);
        send(peer, Opcodes.RC | Opcodes.SEND_ONLY, 3);

        receive(1);
        assertThat(received).extracting(Received::content).containsExactly(3);
        received.clear();
        receiveFromStrangers(2);
        assertThat(received).extracting(Received::content).containsExactlyInAnyOrder(1, 2);
        assertThat(home.counters().count(Counter.RECEIVED_FROM_STRANGERS)).isEqualTo(2);
    }

    @Test
    void whoIsForgottenIsAStrangerAgainAndWhoWasKnownTwiceIsNot() {
        know(peer);
        know(peer);
        forget(peer);
        send(peer, DATAGRAM, 1);
        receive(1);
        forget(peer);
        send(peer, DATAGRAM, 2);
        receiveFromStrangers(2);

        assertThat(received).extracting(Received::content).containsExactly(1, 2);
    }

    /** More than their sockets hold: none of it takes room from the peer. */
    @Test
    void aFloodOfStrangersTakesNoRoomFromPeers() {
        know(peer);
        for (int i = 0; i < FLOOD; i++) {
            send(stranger, i % 2 == 0 ? DATAGRAM : Opcodes.RC | Opcodes.SEND_ONLY, 1);
        }
        send(peer, DATAGRAM, 7);
        receive(1);

        assertThat(received).extracting(Received::content).containsExactly(7);
        assertThat(home.droppedOfStrangers()).isPositive();
        assertThat(home.droppedByKernel()).isZero();
    }

    /** More than fit into the program one by one. */
    @Test
    void theKernelTakesAProgramOfVeryManyPeers() {
        for (int i = 0; i < 5000; i++) {
            home.know(0, 0xFFFF_0A00_0000L + i * 7919L, 4791);
            home.know(0, 0xFFFF_0B00_0000L + i * 7919L, 0);
        }
        know(peer);
        send(peer, DATAGRAM, 1);
        receive(1);

        assertThat(home.trouble()).isEmpty();
    }

    /** Even though the port is shared: the sockets of one port are those of one device. */
    @Test
    void anotherDeviceFindsThePortTaken() {
        try (UdpPort other = apart("127.0.72.1", null)) {
            assertThat(home.port()).isEqualTo(4791);
            assertThat(other.port()).isNotEqualTo(4791);
        }
    }

    @Test
    void overIpv6StrangersAreApartAsWell() {
        try (UdpPort six = apart("::1", null);
                UdpPort other = PortPair.port("::1", null)) {
            six.know(Addresses.high(other.address()), Addresses.low(other.address()), other.port());
            six.steer();
            send(other, six, DATAGRAM, 5);
            receive(six, 1);

            assertThat(received).extracting(Received::content).containsExactly(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whereItCannotBeDoneAllIsReceivedTogether(IoBackend backend) {
        try (UdpPort port = apart("127.0.72.4", backend)) {
            send(stranger, port, DATAGRAM, 9);
            boolean apart = port.strangersNote().isEmpty();
            if (apart) {
                receiveFromStrangers(port, 1);
            } else {
                receive(port, 1);
            }

            assertThat(apart).isEqualTo(backend != IoBackend.CHANNEL);
            assertThat(received).extracting(Received::content).containsExactly(9);
        }
    }

    private void know(UdpPort source) {
        home.know(Addresses.high(source.address()), Addresses.low(source.address()), source.port());
        steer();
    }

    private void forget(UdpPort source) {
        home.forget(Addresses.high(source.address()), Addresses.low(source.address()), source.port());
        steer();
    }

    private void steer() {
        if (home.mustSteer()) {
            home.steer();
        }
    }

    private void send(UdpPort from, int opcode, int content) {
        send(from, home, opcode, content);
    }

    private static void send(UdpPort from, UdpPort to, int opcode, int content) {
        UdpRoute route = from.route(Addresses.high(to.address()), Addresses.low(to.address()), to.port());
        Packet packet = Objects.requireNonNull(from.begin(route), "no room");
        packet.begin(opcode, 1, 0);
        packet.bytes().segment().asSlice(packet.payloadAt(), 64).fill((byte) content);
        from.end(64);
        from.flush();
    }

    private void receive(int packets) {
        receive(home, packets);
    }

    private void receive(UdpPort port, int packets) {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (received.size() < packets && System.nanoTime() - end < 0) {
            if (port.receive(sink) == 0) {
                port.await(1_000_000);
            }
        }
        assertThat(received).hasSize(packets);
    }

    private void receiveFromStrangers(int packets) {
        receiveFromStrangers(home, packets);
    }

    private void receiveFromStrangers(UdpPort port, int packets) {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (received.size() < packets && System.nanoTime() - end < 0) {
            port.await(1_000_000);
            port.receiveFromStrangers(sink);
        }
        assertThat(received).hasSize(packets);
    }
}
