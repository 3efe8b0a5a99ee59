package io.urma4j.udma.device;

import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Packet;

/**
 * Events of the card. Called under the card's lock by the thread that drives it. Each call returns at once, and calls no
 * command of the card, except {@link #controlPacket}, which may.
 */
public interface CardListener {
    /** A datagram for QP 1 arrived, with a correct ICRC. */
    void controlPacket(Packet packet, Source origin, long nowNanos);

    /**
     * The send queue with that tag went to ERROR.
     *
     * @param status of the failed work request, a number of URMA; 0 if none failed
     */
    void sendQueueFailed(int tag, int status);

    /**
     * A request to the RC queue with that tag was refused. Its connection accepts no further ones.
     *
     * @param syndrome of the NAK (WIRE §4.4)
     */
    void requestRefused(int tag, int syndrome);

    /** The receive queue with that tag went to ERROR, because its completion queue overflowed. */
    void receiveQueueFailed(int tag);

    /** Fewer receive work requests are left than the threshold; reported once for each time that it is set. */
    void receivesLow(int tag, long left);

    /** A record found no space: the completion queue and its queues are in ERROR. */
    void cqOverflowed(int cq);

    /** Queue, target: the first message of a flow found no receive work request. */
    void receiverNotReady(int tag, int target);

    /** A SEND_INVALIDATE has revoked all keys of that owner. */
    void invalidated(long keyOwner);

    /** A peer has been silent for longer than a work request may wait. Reported at most once for each period of silence. */
    void peerSilent(int connection);

    /**
     * Packets of a peer arrive, but it has acknowledged nothing for longer than a work request may wait. The two ends may
     * disagree about the PSNs forever, so the connection is useless.
     */
    void peerStuck(int connection);
}
