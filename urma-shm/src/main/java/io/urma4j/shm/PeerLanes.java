package io.urma4j.shm;

import io.urma4j.shm.control.Peer;

/**
 * All flows from one send queue to one peer. A one-sided operation follows every message of the queue to that peer,
 * whatever its target, and the messages behind follow it: the home of a segment is one target (S8.9). Guarded by the
 * queue's lock.
 */
final class PeerLanes {
    final Peer peer;

    /** Messages to this peer that lie in the ring, unanswered. */
    int sent;

    /** The scan of the window that found a flow to this peer blocked. */
    long laneBlockedInScan;

    /** The scan of the window that found a one-sided operation to this peer blocked. */
    long oneSidedBlockedInScan;

    PeerLanes(Peer peer) {
        this.peer = peer;
    }
}
