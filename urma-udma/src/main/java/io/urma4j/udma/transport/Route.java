package io.urma4j.udma.transport;

import io.urma4j.udma.wire.IpHeaders;

/** The way of packets to a peer's port: what a {@link Port} needs to address them. Immutable. */
public interface Route {
    /** Largest payload of a packet that this machine's interface can send unfragmented: 256, 512, 1024, 2048 or 4096. */
    int mtuBytes();

    /** The peer's address as an EID, high half. */
    long eidHigh();

    long eidLow();

    /** The UDP port that the peer takes packets by. */
    int port();

    /** What enters the ICRC of packets on this way, which no one else knows; {@link IpHeaders#NO_SECRET} for nothing. */
    default long secret() {
        return IpHeaders.NO_SECRET;
    }
}
