package io.urma4j.udma.udp;

import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;

/** Takes what a port receives. */
@FunctionalInterface
public interface PacketSink {
    /**
     * Which secret the ICRC of a packet must have that came from there; its lengths are consistent. {@link
     * IpHeaders#NO_SECRET} for that of RoCE.
     */
    default long secretOf(Packet packet, Origin origin) {
        return IpHeaders.NO_SECRET;
    }

    /**
     * A packet has arrived: its lengths are consistent, its ICRC is right. Both arguments are the port's own, and used
     * again when this returns.
     */
    void packet(Packet packet, Origin origin);
}
