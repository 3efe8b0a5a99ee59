package io.urma4j.udma.command;

import java.nio.ByteBuffer;

/**
 * The events of the card, which name queues by tags and all else by handles. The thread that drives the card calls it under
 * the card's lock: each method returns at once, and calls no command of the card.
 */
public interface CardListener {
    /** Whether a control datagram would be taken now; the card drops it unread where not. */
    boolean takesControl();

    /**
     * A control datagram arrived at QP 1, with a right ICRC.
     *
     * @param datagram the listener's own
     * @param eidHigh the sender's address as an EID, high half
     */
    void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos);

    /** The event of an armed completion queue: once for each {@link CardCommands#arm}. */
    void recordsArrived(int cq);

    /**
     * The send queue with that tag went to ERROR.
     *
     * @param status of the work request that failed, a number of URMA; 0 when none did
     */
    void sendQueueFailed(int tag, int status);

    /**
     * A request that came to the RC queue with that tag was refused. Its connection takes no further ones.
     *
     * @param why what the answer to the peer says (WIRE §4.4)
     */
    void requestRefused(int tag, Refusal why);

    /** The receive queue with that tag went to ERROR, since its completion queue overflowed. */
    void receiveQueueFailed(int tag);

    /** Fewer receive work requests are left than the threshold; told once for each time that it is set. */
    void receivesLow(int tag, long left);

    /** There was no place for a record: the completion queue and its queues are in ERROR. */
    void cqOverflowed(int cq);

    /** Queue, target: the first message of a flow found no receive work request. */
    void receiverNotReady(int tag, int target);

    /** A WRITE_NOTIFY has stored a value by a key with that {@link KeyConfig#notifyTag}. */
    void valueStored(int notifyTag);

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
