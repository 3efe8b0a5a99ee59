package io.urma4j.udma.udp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Received packets that are kept: their memory is exchanged, and what is received next leaves them alone. */
class KeptPacketsTest {
    private static final int MTU = 61_440;
    private static final int BYTES = 60_000;
    private static final long DEADLINE_NANOS = 10_000_000_000L;
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private final UdpSocket receiver = SocketIo.open(LOOPBACK, 1 << 20);
    private final DatagramChannel sender = open();

    private static DatagramChannel open() {
        try {
            return DatagramChannel.open();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        sender.close();
    }

    private SocketArrivals arrivals(boolean mergesPackets) {
        return mergesPackets ? SocketArrivals.ofRuns(receiver, 4) : SocketArrivals.ofPackets(receiver, 4, MTU);
    }

    /** Sends a datagram of that byte and receives it: the first packet of it. */
    private Packet receive(SocketArrivals arrivals, int content, int packetBytes) throws IOException {
        if (receiver.localPort() == 0) {
            receiver.bind(LOOPBACK, 0);
        }
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, (byte) content);
        sender.send(ByteBuffer.wrap(bytes), new InetSocketAddress(LOOPBACK, receiver.localPort()));
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (arrivals.receive() != 1) {
            assertThat(System.nanoTime()).as("nothing arrives").isLessThan(deadline);
            Thread.onSpinWait();
        }
        return arrivals.view(0, 0, packetBytes);
    }

    private static void assertHolds(Packet packet, int content) {
        assertThat(packet.lengthBytes()).isEqualTo(BYTES);
        for (int at = 0; at < BYTES; at += 100) {
            assertThat(packet.bytes().getByte(at)).as("byte %d", at).isEqualTo((byte) content);
        }
    }

    private static Packet spare(Packet packet) {
        return requireNonNull(packet.makeSpare());
    }

    /** Up to three are kept, and the memory of the oldest takes the place of the next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeptPacketStaysAsItIsWhileOthersAreReceived(boolean mergesPackets) throws IOException {
        SocketArrivals arrivals = arrivals(mergesPackets);
        ArrayDeque<Packet> kept = new ArrayDeque<>();
        for (int i = 0; i < 40; i++) {
            Packet packet = receive(arrivals, i, BYTES);
            assertHolds(packet, i);
            Packet spare = kept.size() < 3 ? spare(packet) : kept.removeFirst();
            assertThat(packet.exchange(spare)).isTrue();
            kept.addLast(packet);
            int oldest = i - kept.size() + 1;
            for (Packet one : kept) {
                assertHolds(one, oldest++);
            }
        }
    }

    @Test
    void aPacketThatIsNotAloneInItsDatagramIsCopied() throws IOException {
        SocketArrivals arrivals = arrivals(true);
        Packet first = receive(arrivals, 1, BYTES / 2);
        assertThat(first.exchange(spare(first))).isFalse();
        Packet second = arrivals.view(0, BYTES / 2, BYTES / 2);
        assertThat(second.makeSpare()).as("of a packet in the middle").isNull();
        assertThat(second.exchange(spare(first))).isFalse();
        assertThat(receive(arrivals, 2, BYTES)).isSameAs(first);
    }

    @Test
    void onlyASpareOfTheSameSocketFits() throws IOException {
        SocketArrivals arrivals = arrivals(true);
        Packet other = receive(SocketArrivals.ofRuns(receiver, 4), 1, BYTES);
        Packet packet = receive(arrivals, 2, BYTES);
        assertThat(packet.exchange(spare(other))).as("a spare of another").isFalse();
        assertThat(packet.exchange(Packet.allocate(MTU))).as("any memory").isFalse();
        assertThat(packet.exchange(packet)).as("what is in use").isFalse();
        assertThat(Packet.allocate(MTU).exchange(spare(packet))).isFalse();

        assertThat(packet.exchange(spare(packet))).isTrue();
        assertThat(packet.exchange(spare(packet))).as("once more").isFalse();
    }
}
