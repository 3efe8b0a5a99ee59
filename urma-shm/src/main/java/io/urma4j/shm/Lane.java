package io.urma4j.shm;

import io.urma4j.spi.support.SendFlow;

/** The flow of messages from one send queue to one target. Guarded by the queue's lock. */
final class Lane extends SendFlow {
    final ShmTarget target;
    final PeerLanes peer;

    /** Work requests that name the target and have no record yet. A thread that has seen a record sees it counted here. */
    int unfinished;

    Lane(ShmTarget target, PeerLanes peer) {
        super(peer);
        this.target = target;
        this.peer = peer;
    }
}
