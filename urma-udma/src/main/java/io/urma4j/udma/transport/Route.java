package io.urma4j.udma.transport;

import io.urma4j.udma.wire.IpHeaders;

/** The route to a peer's port: what a {@link Port} needs to address packets. */
public interface Route {
    /** {@link #narrowedBytes} of a path that takes all packets of its path MTU, or whose peer takes no fragments. */
    int NOT_NARROWED = 0;

    /** Largest payload of a packet that this machine's interface can send unfragmented, a path MTU. */
    int mtuBytes();

    /**
     * The longest packet that the path takes at present, from its BTH to its ICRC, if its MTU has shrunk since the connections
     * agreed on theirs: longer packets leave in fragments. At least {@code FragmentEth.MIN_PACKET_BYTES}.
     */
    default int narrowedBytes() {
        return NOT_NARROWED;
    }

    /** The peer's address as an EID, high half. */
    long eidHigh();

    long eidLow();

    /** The UDP port of the peer. */
    int port();

    /** The secret in the ICRC of packets on this route; {@link IpHeaders#NO_SECRET} for none. */
    default long secret() {
        return IpHeaders.NO_SECRET;
    }
}
