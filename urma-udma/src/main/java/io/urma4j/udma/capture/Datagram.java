package io.urma4j.udma.capture;

import static io.urma4j.udma.capture.Ethernet.IPV4_BYTES;
import static io.urma4j.udma.capture.Ethernet.IPV6_BYTES;
import static io.urma4j.udma.capture.Ethernet.UDP;
import static io.urma4j.udma.capture.Ethernet.u16;
import static io.urma4j.udma.capture.Ethernet.u8;

import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A datagram of RoCEv2 in a frame: its addresses, and the packet that it carries.
 *
 * @param ip what the ICRC covers of its headers
 * @param ipv4Id its identification, and {@link Icrc#DONT_FRAGMENT}; 0 for IPv6
 */
public record Datagram(
        InetAddress source, InetAddress destination, int sourcePort, IpHeaders ip, int ipv4Id, Packet packet) {
    private static final int UDP_BYTES = 8;
    private static final int NO_OPTIONS = 0x45;
    private static final int FRAGMENT_BITS = 0x3FFF;
    private static final int DONT_FRAGMENT_BIT = 0x4000;

    /** One for each packet, when there is a sound bundle in it; else itself. */
    public List<Datagram> apart() {
        return Bundle.apart(packet).stream().map(this::with).toList();
    }

    /** The same with another packet, which it carried. */
    public Datagram with(Packet carried) {
        return new Datagram(source, destination, sourcePort, ip, ipv4Id, carried);
    }

    /**
     * What the frame carries, when that is RoCEv2; null for everything else, and for what {@link Unread} names.
     *
     * @param ports it is RoCEv2 when it comes from one of these, or goes there: a device of ours has another one where that
     *     of RoCE is taken
     */
    public static @Nullable Datagram of(Frame frame, Set<Integer> ports) {
        Ethernet ethernet = frame.isWhole() ? Ethernet.of(frame.bytes()) : null;
        if (ethernet == null) {
            return null;
        }
        return switch (ethernet.type()) {
            case Ethernet.IPV4 -> ofIpv4(ethernet.payload(), ports);
            case Ethernet.IPV6 -> ofIpv6(ethernet.payload(), ports);
            default -> null;
        };
    }

    /** Without options, and no fragment: RoCE has neither (WIRE §1). */
    private static @Nullable Datagram ofIpv4(ByteBuffer ip, Set<Integer> ports) {
        if (ip.remaining() < IPV4_BYTES + UDP_BYTES || u8(ip, 0) != NO_OPTIONS || u8(ip, 9) != UDP) {
            return null;
        }
        int flags = u16(ip, 6);
        int total = u16(ip, 2);
        if ((flags & FRAGMENT_BITS) != 0 || total > ip.remaining() || !isOf(ports, ip, IPV4_BYTES, total)) {
            return null;
        }
        int sourcePort = u16(ip, IPV4_BYTES);
        boolean dontFragment = (flags & DONT_FRAGMENT_BIT) != 0;
        int id = u16(ip, 4);
        IpHeaders headers = IpHeaders.ipv4(ip.getInt(12), ip.getInt(16), sourcePort, u16(ip, IPV4_BYTES + 2));
        headers.ipv4Id(id);
        headers.ipv4DontFragment(dontFragment);
        return new Datagram(
                address(ip, 12, 4),
                address(ip, 16, 4),
                sourcePort,
                headers,
                id | (dontFragment ? Icrc.DONT_FRAGMENT : 0),
                packet(ip, IPV4_BYTES, total));
    }

    private static @Nullable Datagram ofIpv6(ByteBuffer ip, Set<Integer> ports) {
        if (ip.remaining() < IPV6_BYTES + UDP_BYTES || u8(ip, 6) != UDP) {
            return null;
        }
        int total = IPV6_BYTES + u16(ip, 4);
        if (total > ip.remaining() || !isOf(ports, ip, IPV6_BYTES, total)) {
            return null;
        }
        int sourcePort = u16(ip, IPV6_BYTES);
        IpHeaders headers = IpHeaders.ipv6(
                ip.getLong(8), ip.getLong(16), ip.getLong(24), ip.getLong(32), sourcePort, u16(ip, IPV6_BYTES + 2));
        return new Datagram(
                address(ip, 8, 16), address(ip, 24, 16), sourcePort, headers, 0, packet(ip, IPV6_BYTES, total));
    }

    private static boolean isOf(Set<Integer> ports, ByteBuffer ip, int udpAt, int total) {
        return total >= udpAt + UDP_BYTES && (ports.contains(u16(ip, udpAt)) || ports.contains(u16(ip, udpAt + 2)));
    }

    private static Packet packet(ByteBuffer ip, int udpAt, int total) {
        byte[] bytes = new byte[total - udpAt - UDP_BYTES];
        ip.get(udpAt + UDP_BYTES, bytes);
        return Packet.of(bytes);
    }

    private static InetAddress address(ByteBuffer ip, int at, int length) {
        byte[] bytes = new byte[length];
        ip.get(at, bytes);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + length + " bytes", e);
        }
    }
}
