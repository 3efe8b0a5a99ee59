package io.urma4j.udma.hostile;

import io.urma4j.Eid;
import io.urma4j.libc.NativeMemory;
import io.urma4j.libc.UdpOption;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.capture.PcapReader;
import io.urma4j.udma.control.HeardSecrets;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * Sends what it likes to a device. Bound to the address and the port of a peer it speaks in the peer's name: on one
 * machine the same user can, since a device shares its port with its own sockets for unknown peers.
 */
final class Forge implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 22;

    private final DatagramChannel channel;
    private final InetSocketAddress victim;
    private final IpHeaders headers;
    private final Icrc icrc = new Icrc();
    private final Packet packet;
    private final ByteBuffer place = ByteBuffer.allocateDirect(Packet.MAX_BYTES);

    private long secret = IpHeaders.NO_SECRET;

    private Forge(DatagramChannel channel, InetSocketAddress victim, IpHeaders headers) {
        this.channel = channel;
        this.victim = victim;
        this.headers = headers;
        this.packet = new Packet(NativeMemory.of(MemorySegment.ofBuffer(place)));
    }

    /** From an address, and any of its ports, to the port of RoCE of another. */
    static Forge open(String from, String to) throws IOException {
        return open(from, 0, to, IpHeaders.ROCE_PORT);
    }

    /** From the port of RoCE of an address, where a device shares it with its sockets for unknown peers: nothing tells the two apart. */
    static Forge openInTheNameOf(String from, String to) throws IOException {
        return openInTheNameOf(from, IpHeaders.ROCE_PORT, to, IpHeaders.ROCE_PORT);
    }

    /** The same where the devices have other ports. */
    static Forge openInTheNameOf(String from, int fromPort, String to, int toPort) throws IOException {
        return open(from, fromPort, to, toPort);
    }

    /** From any port of an address to that port of another. */
    static Forge open(String from, String to, int toPort) throws IOException {
        return open(from, 0, to, toPort);
    }

    private static Forge open(String from, int fromPort, String to, int toPort) throws IOException {
        InetAddress source = InetAddress.ofLiteral(from);
        InetAddress target = InetAddress.ofLiteral(to);
        DatagramChannel channel = DatagramChannel.open(
                target instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true); // the identification is 0 then
        channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_REUSEPORT, fromPort != 0);
        channel.bind(new InetSocketAddress(source, fromPort));
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        return new Forge(
                channel, new InetSocketAddress(target, toPort), headers(Eid.of(source), port, Eid.of(target), toPort));
    }

    private static IpHeaders headers(Eid from, int fromPort, Eid to, int toPort) {
        return to.isIpv4()
                ? IpHeaders.ipv4((int) from.low(), (int) to.low(), fromPort, toPort)
                : IpHeaders.ipv6(from.high(), from.low(), to.high(), to.low(), fromPort, toPort);
    }

    /** From now on packets of connections have that secret, of one who has seen the greeting. */
    Forge knowing(long known) {
        secret = known;
        return this;
    }

    /** From now on as if a switch on the way had marked it for congestion: the IP header says so. */
    void mark() throws IOException {
        channel.setOption(StandardSocketOptions.IP_TOS, UdpOption.ECN_MARKED);
    }

    /** Where the next packet is made; {@link #send} seals and sends it. */
    Packet packet() {
        return packet;
    }

    /** Puts bytes there as they are. */
    Packet put(byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, packet.bytes().segment(), 0, bytes.length);
        packet.lengthBytes(bytes.length);
        return packet;
    }

    /** With a right ICRC, as far as the secret is known. */
    void send(int payloadBytes) throws IOException {
        int opcode = packet.opcode();
        boolean isOfConnection = !Opcodes.has(opcode, Header.DETH) || Opcodes.has(opcode, Header.RDETH);
        headers.secret(isOfConnection ? secret : IpHeaders.NO_SECRET);
        packet.end(payloadBytes, headers, icrc);
        sendAsIs();
    }

    void sendAsIs() throws IOException {
        channel.send(place.clear().limit(packet.lengthBytes()), victim);
    }

    /** What a device has sent and received so far, as its capture says. */
    static List<Datagram> read(Path capture) throws IOException {
        return read(capture, IpHeaders.ROCE_PORT);
    }

    /** The same of a device with another port. */
    static List<Datagram> read(Path capture, int port) throws IOException {
        List<Datagram> all = new ArrayList<>();
        try (PcapReader reader = PcapReader.open(capture)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                Datagram datagram = Datagram.of(frame, Set.of(port));
                if (datagram != null) {
                    all.add(datagram);
                }
            }
        } catch (EOFException e) {
            // it is being written
        }
        return all;
    }

    /** The secret of two devices that have greeted once, as a capture tells it. */
    static long secret(List<Datagram> heard, String one, String other) {
        HeardSecrets secrets = new HeardSecrets();
        for (Datagram datagram : heard) {
            if (PacketCheck.of(datagram.packet()) == null) {
                secrets.hear(datagram.source(), datagram.destination(), datagram.packet());
            }
        }
        return secrets.between(InetAddress.ofLiteral(one), InetAddress.ofLiteral(other))
                .getLast();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
