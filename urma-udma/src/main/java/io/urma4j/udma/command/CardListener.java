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
     * @param status of the failed work request, a number of URMA; 0 if none failed
     */
    void sendQueueFailed(int tag, int status);

    /**
     * A request to the RC queue with that tag was refused. Its connection accepts no further ones.
     *
     * @param why what the answer to the peer says (WIRE §4.4)
     */
    void requestRefused(int tag, Refusal why);

    /** The receive queue with that tag went to ERROR, because its completion queue overflowed. */
    void receiveQueueFailed(int tag);

    /** Fewer receive work requests are left than the threshold; reported once for each time that it is set. */
    void receivesLow(int tag, long left);

    /** A record found no space: the completion queue and its queues are in ERROR. */
    void cqOverflowed(int cq);

    /** Queue, target: the first message of a flow found no receive work request. */
    void receiverNotReady(int tag, int target);

    /** A WRITE_NOTIFY has stored a value by a key with that {@link KeyConfig#notifyTag}. */
    void valueStored(int notifyTag);

    /**
     * A SEND_INVALIDATE has revoked keys of that owner: of windows-only segments those by which the peer reached bytes.
     *
     * @param peer number of the sender
     * @param whole whether it also revoked all keys of other segments, of all peers
     */
    void invalidated(long keyOwner, int peer, boolean whole);

    /** A peer has been silent for longer than a work request may wait. Reported at most once for each period of silence. */
    void peerSilent(int connection);

    /**
     * Packets of a peer arrive, but it has acknowledged nothing for longer than a work request may wait. The two ends may
     * disagree about the PSNs forever, so the connection is useless.
     */
    void peerStuck(int connection);
}
