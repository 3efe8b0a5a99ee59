package io.urma4j.udma.udp;

import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.wire.PathMtu;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Options for opening a port.
 *
 * @param address a local one, and no wildcard: the ICRC covers it
 * @param port {@link #DEFAULT_PORT} for that of RoCE if it is free, else any; {@link #ANY_PORT} for any but that of RoCE;
 *     otherwise exactly this one
 * @param backend null for the fastest that works here
 * @param bufferBytes requested for each of the socket's two buffers; the machine may grant less
 * @param capture for all packets sent and received; null for none
 * @param loss simulated loss of received packets; null for none
 * @param strangersApart whether unknown peers get separate sockets, if the kernel supports it; then {@link
 *     UdpPort#receiveFromStrangers} receives their packets
 * @param ecn whether the port uses ECN
 * @param mtuLimitBytes no packet has more payload: a path MTU
 */
public record PortOptions(
        InetAddress address,
        int port,
        @Nullable IoBackend backend,
        int bufferBytes,
        @Nullable PcapWriter capture,
        @Nullable PacketLoss loss,
        boolean strangersApart,
        Ecn ecn,
        int mtuLimitBytes) {
    public static final int DEFAULT_PORT = 0;

    /** A client that only sends requests leaves the port of RoCE to servers. */
    public static final int ANY_PORT = -1;

    private static final int DEFAULT_BUFFER_BYTES = 8 << 20;
    private static final int MAX_PORT = 0xFFFF;

    public PortOptions {
        if (port < ANY_PORT || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + " is not within " + ANY_PORT + " and " + MAX_PORT);
        }
        if (!PathMtu.isOne(mtuLimitBytes)) {
            throw new IllegalArgumentException("MTU limit " + mtuLimitBytes + " is none of " + PathMtu.NAMES);
        }
    }

    /** All defaults, and one socket for all. */
    public static PortOptions of(InetAddress address) {
        return new PortOptions(
                address, DEFAULT_PORT, null, DEFAULT_BUFFER_BYTES, null, null, false, Ecn.AUTO, PathMtu.LARGEST);
    }

    /**
     * Parses the setting {@code urma.udma.mtu}; null is auto.
     *
     * @throws IllegalArgumentException listing the valid values
     */
    public static int mtuLimit(@Nullable String text) {
        if (text == null || text.equalsIgnoreCase("auto")) {
            return PathMtu.LARGEST;
        }
        int bytes;
        try {
            bytes = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            bytes = 0;
        }
        if (!PathMtu.isOne(bytes)) {
            throw new IllegalArgumentException("'" + text + "' is none of auto, " + PathMtu.NAMES);
        }
        return bytes;
    }

    public PortOptions withPort(int number) {
        return new PortOptions(
                address, number, backend, bufferBytes, capture, loss, strangersApart, ecn, mtuLimitBytes);
    }

    public PortOptions withBackend(@Nullable IoBackend only) {
        return new PortOptions(address, port, only, bufferBytes, capture, loss, strangersApart, ecn, mtuLimitBytes);
    }

    public PortOptions withCapture(@Nullable PcapWriter writer) {
        return new PortOptions(address, port, backend, bufferBytes, writer, loss, strangersApart, ecn, mtuLimitBytes);
    }

    public PortOptions withLoss(@Nullable PacketLoss onPurpose) {
        return new PortOptions(
                address, port, backend, bufferBytes, capture, onPurpose, strangersApart, ecn, mtuLimitBytes);
    }

    public PortOptions withStrangersApart(boolean apart) {
        return new PortOptions(address, port, backend, bufferBytes, capture, loss, apart, ecn, mtuLimitBytes);
    }

    public PortOptions withEcn(Ecn choice) {
        return new PortOptions(
                address, port, backend, bufferBytes, capture, loss, strangersApart, choice, mtuLimitBytes);
    }

    public PortOptions withMtuLimit(int bytes) {
        return new PortOptions(address, port, backend, bufferBytes, capture, loss, strangersApart, ecn, bytes);
    }
}
