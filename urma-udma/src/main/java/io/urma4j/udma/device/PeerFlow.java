package io.urma4j.udma.device;

import io.urma4j.spi.support.SendPeer;
import io.urma4j.udma.ring.KeyLife;
import java.util.HashSet;
import java.util.Set;

/**
 * All work requests from one send queue on one connection. A request that changes the home's memory waits for the responses
 * of READs, because a READ whose response is lost is executed again.
 */
final class PeerFlow extends SendPeer {
    final CardConnection link;

    /** A transfer is in progress, which everything behind it must follow: its blocks start one after the other. */
    boolean isTransferring;

    /** {@linkplain KeyLife#name Names} of keys of the home that the queue serves no more (S6.12). Another home may give the same. */
    final Set<Long> failedKeys = new HashSet<>();

    /** The step of the queue that found the connection full. */
    long fullInStep;

    PeerFlow(CardConnection link) {
        this.link = link;
    }
}
