package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.CompletionRecord;

/**
 * A peer as records name it.
 *
 * @param base the word for its queues, without their id
 */
record RemoteName(long eidHigh, long eidLow, long base) {
    static RemoteName of(Peer peer, int pathNumber) {
        return new RemoteName(
                peer.eid().high(), peer.eid().low(), CompletionRecord.remote(0, peer.uasid(), pathNumber));
    }

    long queue(int id) {
        return base | id;
    }
}
