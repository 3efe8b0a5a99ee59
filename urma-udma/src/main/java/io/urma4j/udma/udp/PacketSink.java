package io.urma4j.udma.udp;

import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;

/** The receiver of a port's packets. */
@FunctionalInterface
public interface PacketSink {
    /**
     * The secret of the ICRC of a packet from that source; its lengths are consistent. {@link IpHeaders#NO_SECRET} for that
     * of RoCE.
     */
    default long secretOf(Packet packet, Origin origin) {
        return IpHeaders.NO_SECRET;
    }

    /**
     * A packet has arrived: its lengths are consistent, its ICRC is correct. The port reuses both arguments when this
     * returns.
     */
    void packet(Packet packet, Origin origin);
}
