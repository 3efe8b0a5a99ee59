package io.urma4j.udma.transport;

import io.urma4j.udma.wire.IpHeaders;

/** The source of a packet. It belongs to the caller, which reuses it for the next packet. */
public interface Source {
    /** The sender's address as an EID, high half. */
    long eidHigh();

    long eidLow();

    /**
     * The source port. A urma4j peer receives packets on the same one; a Linux peer listens at 4791, whatever its source
     * port (WIRE §0).
     */
    int port();

    /**
     * The secret that verified the ICRC of the packet, which only the peer with the same secret knows. {@link
     * IpHeaders#NO_SECRET} for the ICRC of RoCE, which any host can compute.
     */
    default long secret() {
        return IpHeaders.NO_SECRET;
    }
}
