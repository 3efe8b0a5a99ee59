package io.urma4j.udma.transport;

import io.urma4j.udma.wire.IpHeaders;

/** Where a packet came from. Belongs to whoever hands the packet over: it may say something else for the next one. */
public interface Source {
    /** The sender's address as an EID, high half. */
    long eidHigh();

    long eidLow();

    /**
     * The port that it was sent from. A peer of urma4j takes packets by the same one; a peer of Linux listens at 4791,
     * whatever it sends from (WIRE §0).
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
