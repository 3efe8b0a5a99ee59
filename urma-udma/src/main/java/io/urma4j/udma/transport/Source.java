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
     * The secret that the ICRC of the packet was right with: who knows it is the peer that agreed on it. {@link
     * IpHeaders#NO_SECRET} for the ICRC of RoCE, which anybody can make.
     */
    default long secret() {
        return IpHeaders.NO_SECRET;
    }
}
