package io.urma4j.udma.transport;

import io.urma4j.udma.wire.IpHeaders;

/** The route to a peer's port: what a {@link Port} needs to address packets. Immutable. */
public interface Route {
    /** Largest payload of a packet that this machine's interface can send unfragmented, a path MTU. */
    int mtuBytes();

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
