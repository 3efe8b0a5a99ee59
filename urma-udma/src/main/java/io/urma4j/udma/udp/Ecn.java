package io.urma4j.udma.udp;

import io.urma4j.libc.LibcException;
import io.urma4j.libc.Poll;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether a port uses explicit congestion notification (ECN): it sends ECT packets, and reads the marks (CE) of received
 * ones.
 */
public enum Ecn {
    /** If the kernel supports it, except at loopback addresses: no switch would mark there, and reading marks has a cost. */
    AUTO,
    /** Required: otherwise the port is not opened. */
    ON,
    OFF;

    private static final int PROBE_BYTES = 64;

    /**
     * Parses the setting {@code urma.udma.ecn}; null is auto.
     *
     * @throws IllegalArgumentException listing the valid values
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
     * Why a port at that address does not use ECN; empty if it does.
     *
     * @throws PortException if it is required, but does not work here
     */
    String objection(InetAddress address, IoBackend backend) {
        if (this == OFF) {
            return "as configured";
        }
        if (this == AUTO && address.isLoopbackAddress()) {
            return "loopback addresses have no switches that mark";
        }
        String refusal = backend == IoBackend.CHANNEL ? "DatagramChannel does not report marks" : refusal(address);
        if (this == ON && !refusal.isEmpty()) {
            throw new PortException("ECN was requested, but does not work here: " + refusal, null);
        }
        return refusal;
    }

    /**
     * Why this kernel does not report marks; empty if it does. A test like that of {@link IoProbe} tells: one socket sends a
     * marked packet, the other must see the mark.
     */
    static String refusal(InetAddress address) {
        try (UdpSocket from = SocketIo.open(address, IoProbe.BUFFER_BYTES);
                UdpSocket to = SocketIo.open(address, IoProbe.BUFFER_BYTES)) {
            from.bind(address, 0);
            to.bind(address, 0);
            enable(to, address);
            send(from, address, UdpOption.ECN_MARKED);
            return arrivesMarked(from, to, address) ? "" : "a marked datagram arrived without its mark";
        } catch (LibcException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Or none arrives, if the machine's own loopback is down: then the kernel's options must do. */
    private static boolean arrivesMarked(UdpSocket from, UdpSocket to, InetAddress address) {
        UdpMessages messages = new UdpMessages(1, Arena.ofAuto().allocate(PROBE_BYTES));
        messages.put(0, 0, 1);
        IoProbe.address(messages, address, to.localPort());
        from.send(messages, 0, 1);
        Poll.await(to.fd(), Poll.IN, IoProbe.PATIENCE_MILLIS);
        return to.receive(messages, 1) < 1 || isMarked(messages.trafficClass(0));
    }

    /**
     * Enables ECN on a socket.
     *
     * @throws LibcException if this kernel does not support it
     */
    static void enable(UdpSocket socket, InetAddress address) {
        send(socket, address, UdpOption.ECN_CAPABLE);
        boolean ipv6 = address instanceof Inet6Address;
        socket.set(ipv6 ? UdpOption.IPV6_TELL_TRAFFIC_CLASS : UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
    }

    /** Whether a switch has marked a packet with that traffic class. */
    static boolean isMarked(int trafficClass) {
        return (trafficClass & UdpOption.ECN_MARKED) == UdpOption.ECN_MARKED;
    }

    /** Sends with these bits. */
    static void send(UdpSocket socket, InetAddress address, int bits) {
        boolean ipv6 = address instanceof Inet6Address;
        socket.set(ipv6 ? UdpOption.IPV6_TRAFFIC_CLASS : UdpOption.IPV4_TRAFFIC_CLASS, bits);
    }
}
