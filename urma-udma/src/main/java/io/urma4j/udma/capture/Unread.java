package io.urma4j.udma.capture;

import static io.urma4j.udma.capture.Ethernet.IPV4_BYTES;
import static io.urma4j.udma.capture.Ethernet.IPV6_BYTES;
import static io.urma4j.udma.capture.Ethernet.UDP;
import static io.urma4j.udma.capture.Ethernet.u16;
import static io.urma4j.udma.capture.Ethernet.u8;

import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Why {@link Datagram} does not read a frame that is RoCEv2, or of which too little is there to tell. */
public enum Unread {
    CUT("cut by the snap length"),
    FRAGMENT("an IP fragment"),
    IPV4_OPTIONS("with IPv4 options"),
    IPV6_EXTENSIONS("with IPv6 extension headers");

    private static final int PORTS_BYTES = 4;
    private static final int LATER_FRAGMENT = 0x1FFF; // IPv4: the offset, in units of 8 bytes
    private static final int MORE_FRAGMENTS = 0x2000;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT_HEADER = 44;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int LEAST_EXTENSION_BYTES = 8;

    private final String text;

    Unread(String text) {
        this.text = text;
    }

    /** As part of a sentence about frames. */
    public String text() {
        return text;
    }

    /**
     * Why a frame is not read; null when it is, or surely no RoCEv2.
     *
     * @param ports as {@link Datagram#of(Frame, Set)} has them
     */
    public static @Nullable Unread of(Frame frame, Set<Integer> ports) {
        Ethernet ethernet = Ethernet.of(frame.bytes());
        if (ethernet == null) {
            return frame.isWhole() ? null : CUT;
        }
        ByteBuffer ip = ethernet.payload();
        return switch (ethernet.type()) {
            case Ethernet.IPV4 -> ip.remaining() < IPV4_BYTES ? CUT : ofIpv4(ip, frame.isWhole(), ports);
            case Ethernet.IPV6 -> ip.remaining() < IPV6_BYTES ? CUT : ofIpv6(ip, frame.isWhole(), ports);
            default -> null;
        };
    }

    private static @Nullable Unread ofIpv4(ByteBuffer ip, boolean isWhole, Set<Integer> ports) {
        int fragment = u16(ip, 6);
        int headerBytes = (u8(ip, 0) & 0xF) * 4;
        if (u8(ip, 9) != UDP) {
            return null;
        }
        if ((fragment & LATER_FRAGMENT) != 0) {
            return FRAGMENT; // its ports are in the first one
        }
        if (!mayBeOf(ports, ip, headerBytes)) {
            return null;
        }
        if ((fragment & MORE_FRAGMENTS) != 0) {
            return FRAGMENT;
        }
        if (headerBytes != IPV4_BYTES) {
            return IPV4_OPTIONS;
        }
        return isWhole && u16(ip, 2) <= ip.remaining() ? null : CUT;
    }

    private static @Nullable Unread ofIpv6(ByteBuffer ip, boolean isWhole, Set<Integer> ports) {
        int next = u8(ip, 6);
        int at = IPV6_BYTES;
        while (isExtension(next)) {
            if (ip.remaining() < at + LEAST_EXTENSION_BYTES) {
                return CUT;
            }
            if (next == FRAGMENT_HEADER) {
                return FRAGMENT;
            }
            int units = u8(ip, at + 1);
            int bytes = next == AUTHENTICATION ? (units + 2) * 4 : (units + 1) * 8;
            next = u8(ip, at);
            at += bytes;
        }
        if (next != UDP || !mayBeOf(ports, ip, at)) {
            return null;
        }
        if (at != IPV6_BYTES) {
            return IPV6_EXTENSIONS;
        }
        return isWhole && IPV6_BYTES + u16(ip, 4) <= ip.remaining() ? null : CUT;
    }

    private static boolean isExtension(int header) {
        return header == HOP_BY_HOP
                || header == ROUTING
                || header == FRAGMENT_HEADER
                || header == AUTHENTICATION
                || header == DESTINATION_OPTIONS;
    }

    /** Whether one of the ports of UDP is among these, or was not captured. */
    private static boolean mayBeOf(Set<Integer> ports, ByteBuffer ip, int udpAt) {
        return ip.remaining() < udpAt + PORTS_BYTES
                || ports.contains(u16(ip, udpAt))
                || ports.contains(u16(ip, udpAt + 2));
    }
}
