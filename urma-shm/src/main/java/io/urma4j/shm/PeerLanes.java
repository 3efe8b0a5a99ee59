package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.SendPeer;

/** All flows from one send queue to one peer. Guarded by the queue's lock. */
final class PeerLanes extends SendPeer {
    final Peer peer;

    PeerLanes(Peer peer) {
        this.peer = peer;
    }
}
