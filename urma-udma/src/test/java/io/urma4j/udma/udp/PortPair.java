package io.urma4j.udma.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two ports of this machine, and the way from the first to the second. */
final class PortPair implements AutoCloseable {
    private static final long DEADLINE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int QP = 0x123;

    final UdpPort sender;
    final UdpPort receiver;
    final UdpRoute route;
    private int psn;

    PortPair(UdpPort sender, UdpPort receiver) {
        this.sender = sender;
        this.receiver = receiver;
        this.route = to(receiver);
    }

    static PortPair open(@Nullable IoBackend backend) {
        return open("127.0.71.1", "127.0.71.2", backend);
    }

    static PortPair open(String from, String to, @Nullable IoBackend backend) {
        UdpPort sender = port(from, backend);
        try {
            return new PortPair(sender, port(to, backend));
        } catch (RuntimeException e) {
            sender.close();
            throw e;
        }
    }

    static UdpPort port(String address, @Nullable IoBackend backend) {
        try {
            return UdpPort.open(PortOptions.of(InetAddress.ofLiteral(address)).withBackend(backend));
        } catch (PortException e) {
            assumeTrue(!String.valueOf(e.getMessage()).contains("does not work here"), e.getMessage());
            throw e;
        }
    }

    UdpRoute to(UdpPort port) {
        return sender.route(Addresses.high(port.address()), Addresses.low(port.address()), port.port());
    }

    /** Begins a SEND whose payload is one byte again and again, and ends it. */
    void put(int content, int payloadBytes) {
        put(route, content, payloadBytes);
    }

    void put(UdpRoute to, int content, int payloadBytes) {
        Packet packet = Objects.requireNonNull(sender.begin(to), "no room");
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, QP, psn++ & Bth.MAX_24);
        packet.bytes().segment().asSlice(packet.payloadAt(), payloadBytes).fill((byte) content);
        sender.end(payloadBytes);
    }

    /** What has arrived, when it is as many packets as that. */
    List<Received> receive(int packets) {
        List<Received> received = new ArrayList<>();
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (received.size() < packets && System.nanoTime() - end < 0) {
            if (receiver.receive((packet, origin) -> received.add(Received.of(packet, origin))) == 0) {
                receiver.await(Math.max(0, end - System.nanoTime()));
            }
        }
        assertThat(received).as("%s", receiver.counters()).hasSize(packets);
        return received;
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }

    /** A packet, and where it came from, as they were when it came. */
    record Received(int psn, int payloadBytes, int content, long eidHigh, long eidLow, int port) {
        static Received of(Packet packet, Origin origin) {
            MemorySegment payload = packet.bytes().segment().asSlice(packet.payloadAt(), packet.payloadBytes());
            int content = payload.byteSize() == 0 ? -1 : payload.get(JAVA_BYTE, payload.byteSize() - 1) & 0xFF;
            for (byte each : payload.toArray(JAVA_BYTE)) {
                assertThat(each).isEqualTo((byte) content);
            }
            return new Received(
                    Bth.psn(packet.bytes()),
                    packet.payloadBytes(),
                    content,
                    origin.eidHigh(),
                    origin.eidLow(),
                    origin.port());
        }
    }
}
