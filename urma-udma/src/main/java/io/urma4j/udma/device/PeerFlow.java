package io.urma4j.udma.device;

import io.urma4j.spi.support.SendPeer;

/**
 * All work requests from one send queue by one connection. What changes the home's memory waits for the answers of READs:
 * a READ whose answer is lost is done again.
 */
final class PeerFlow extends SendPeer {
    final CardConnection link;

    /** The step of the queue that found the connection full. */
    long fullInStep;

    PeerFlow(CardConnection link) {
        this.link = link;
    }
}
