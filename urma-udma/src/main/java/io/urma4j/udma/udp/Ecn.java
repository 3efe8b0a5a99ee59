package io.urma4j.udma.udp;

import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether a port takes part in explicit congestion notification: has what it sends say that it may be marked (ECT), and looks
 * for marks (CE) in what it receives.
 */
public enum Ecn {
    /** Where the kernel can, but for addresses of this machine alone: nothing on the way would mark, and to look costs some. */
    AUTO,
    /** Or the port is not opened. */
    ON,
    OFF;

    /**
     * Reads the setting {@code urma.udma.ecn}; null is auto.
     *
     * @throws IllegalArgumentException naming what there is
     */
    public static Ecn parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return AUTO;
        }
        for (Ecn choice : values()) {
            if (choice.name().equals(text.toUpperCase(Locale.ROOT))) {
                return choice;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is none of auto, on, off");
    }

    /**
     * Why a port at that address does without; empty when it does not.
     *
     * @throws PortException when it was asked for, and does not work here
     */
    String objection(InetAddress address, IoBackend backend) {
        if (this == OFF) {
            return "as configured";
        }
        if (this == AUTO && address.isLoopbackAddress()) {
            return "loopback addresses have no switches that mark";
        }
        String refusal =
                backend == IoBackend.CHANNEL ? "DatagramChannel does not report marks" : EcnProbe.refusal(address);
        if (this == ON && !refusal.isEmpty()) {
            throw new PortException("ECN was requested, but does not work here: " + refusal, null);
        }
        return refusal;
    }

    /**
     * Has a socket take part.
     *
     * @throws io.urma4j.libc.LibcException when this kernel cannot
     */
    static void enable(UdpSocket socket, InetAddress address) {
        send(socket, address, UdpOption.ECN_CAPABLE);
        boolean ipv6 = address instanceof Inet6Address;
        socket.set(ipv6 ? UdpOption.IPV6_TELL_TRAFFIC_CLASS : UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
    }

    /** Whether a switch on the way has marked what came with that traffic class. */
    static boolean isMarked(int trafficClass) {
        return (trafficClass & UdpOption.ECN_MARKED) == UdpOption.ECN_MARKED;
    }

    /** Has it send with these bits. */
    static void send(UdpSocket socket, InetAddress address, int bits) {
        boolean ipv6 = address instanceof Inet6Address;
        socket.set(ipv6 ? UdpOption.IPV6_TRAFFIC_CLASS : UdpOption.IPV4_TRAFFIC_CLASS, bits);
    }
}
