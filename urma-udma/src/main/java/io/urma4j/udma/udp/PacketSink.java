package io.urma4j.udma.udp;

import io.urma4j.udma.wire.Packet;

/** Takes what a port receives. */
public interface PacketSink {
    /**
     * A packet has arrived: its lengths are consistent, its ICRC is right. Both arguments are the port's own, and used
     * again when this returns.
     */
    void packet(Packet packet, Origin origin);
}
