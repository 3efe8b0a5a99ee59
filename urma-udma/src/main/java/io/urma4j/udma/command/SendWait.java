package io.urma4j.udma.command;

/**
 * What some work requests of a send queue wait for, for an operator to read.
 *
 * @param peer {@link PeerInfo#number} of their target; 0 for a peer that was connected by hand, and for no peer
 * @param remoteQueue its number there; 0 for memory
 * @param count how many of them
 */
public record SendWait(int peer, int remoteQueue, Reason reason, int count) {
    /** Why they are not finished. */
    public enum Reason {
        /** The queue is not READY. */
        STATE,
        /** They are in flight. */
        ANSWER,
        /** They follow work of a device that is not finished. */
        EVENT,
        /** They found no receive work request. */
        RECEIVER,
        /** An earlier message of the same queue to the same peer is not done: operations are ordered per peer. */
        ORDER,
        /** The connection or the port is full, or earlier requests go first. */
        TURN
    }
}
