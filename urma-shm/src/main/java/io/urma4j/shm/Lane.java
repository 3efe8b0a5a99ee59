package io.urma4j.shm;

import io.urma4j.spi.support.SendFlow;

/** The flow of messages from one send queue to one queue of a peer. Guarded by the sending queue's lock. */
final class Lane extends SendFlow {
    final int queueId;
    final PeerLanes peer;

    Lane(int queueId, PeerLanes peer) {
        super(peer);
        this.queueId = queueId;
        this.peer = peer;
    }
}
