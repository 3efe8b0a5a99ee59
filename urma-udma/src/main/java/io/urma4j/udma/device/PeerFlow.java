package io.urma4j.udma.device;

import io.urma4j.spi.support.SendPeer;
import io.urma4j.udma.ring.KeyLife;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * All work requests from one send queue on one connection. A request that changes the home's memory waits for the responses
 * of READs, because a READ whose response is lost is executed again.
 */
final class PeerFlow extends SendPeer {
    final CardConnection link;

    /** A transfer is in progress, which everything behind it must follow: its blocks start one after the other. */
    boolean isTransferring;

    /** {@linkplain KeyLife#name Names} of keys of the home that the queue serves no more (S6.12). Another home may give the same. */
    final NavigableSet<Long> failedKeys = new TreeSet<>();

    /** The step of the queue that found the connection full. */
    long fullInStep;

    PeerFlow(CardConnection link) {
        this.link = link;
    }

    /**
     * The queue serves a key no more. A home that grants and revokes gives an index one life after the other, without a bound. So
     * earlier lives are evicted: the home refuses them, as the index has another one.
     *
     * @param name of the key
     */
    void keyFailed(long name) {
        if (KeyLife.isLater(KeyLife.ofName(name))) { // else the home may be a foreign one, whose keys have no lives
            failedKeys.subSet(KeyLife.firstName(name), name).clear();
        }
        failedKeys.add(name);
    }
}
