package io.urma4j.udma.device;

import io.urma4j.spi.support.SendPeer;

/**
 * All work requests from one send queue on one connection. A request that changes the home's memory waits for the responses
 * of READs, because a READ whose response is lost is executed again.
 */
final class PeerFlow extends SendPeer {
    final CardConnection link;

    /** A transfer is in progress, which everything behind it must follow: its blocks start one after the other. */
    boolean isTransferring;

    /** The step of the queue that found the connection full. */
    long fullInStep;

    PeerFlow(CardConnection link) {
        this.link = link;
    }
}
