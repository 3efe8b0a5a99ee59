package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.SendPeer;

/** All flows from one send queue to one peer. Guarded by the queue's lock. */
final class PeerLanes extends SendPeer {
    final Peer peer;

    /** Flows to its queues. */
    int lanes;

    /** Work requests that name it and have no record yet. */
    int unfinished;

    PeerLanes(Peer peer) {
        this.peer = peer;
    }

    /** Whether nothing will be sent to it: it is gone, and neither an open import nor a work request names it. */
    boolean isOver() {
        return lanes == 0 && unfinished == 0 && peer.isLost();
    }
}
