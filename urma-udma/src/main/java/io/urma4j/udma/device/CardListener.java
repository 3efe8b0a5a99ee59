package io.urma4j.udma.device;

import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Packet;

/**
 * What the card tells without being asked. Called under the card's lock by whoever turns its crank: returns at once, and
 * calls no command of the card, but {@link #controlPacket}, which may.
 */
public interface CardListener {
    /** A datagram for QP 1 came, with a right ICRC. */
    void controlPacket(Packet packet, Source origin, long nowNanos);

    /**
     * The send queue with that tag went to ERROR.
     *
     * @param status of the work request that failed, a number of URMA; 0 when none did
     */
    void sendQueueFailed(int tag, int status);

    /**
     * A request that came to the RC queue with that tag was refused. Its connection takes no further ones.
     *
     * @param syndrome what the peer is told (WIRE §4.4)
     */
    void requestRefused(int tag, int syndrome);

    /** The receive queue with that tag went to ERROR, since its completion queue overflowed. */
    void receiveQueueFailed(int tag);

    /** Fewer receive work requests are left than the threshold; told once for each time that it is set. */
    void receivesLow(int tag, long left);

    /** There was no place for a record: the completion queue and its queues are in ERROR. */
    void cqOverflowed(int cq);

    /** Queue, target: the first message of a flow found no receive work request. */
    void receiverNotReady(int tag, int target);

    /** A SEND_INVALIDATE has revoked all keys of that owner. */
    void invalidated(long keyOwner);

    /** A peer has been silent for longer than a work request may wait. Told at most once for each pause of the peer. */
    void peerSilent(int connection);

    /**
     * A peer is heard, but has acknowledged nothing for longer than a work request may wait. Both ends may disagree about the PSNs
     * for ever, so that the connection is of no use any more.
     */
    void peerStuck(int connection);
}
