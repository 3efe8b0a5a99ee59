package io.urma4j.spi.support;

/**
 * What one send queue has in flight to one peer. A one-sided operation follows every message of the queue to that peer,
 * whatever its target, and the messages behind follow it: the home of a segment is one target (S8.9).
 */
public abstract class SendPeer {
    /** Work requests that were started and have no answer. */
    public int sent;

    /** Messages among them. */
    public int sentMessages;

    /** READs and atomics among them. */
    public int sentFetches;

    /** READs among them. */
    public int sentReads;

    /** The scan that found a flow to this peer blocked. */
    long flowBlockedInScan;

    /** The scan that found a one-sided operation to this peer blocked. */
    long oneSidedBlockedInScan;
}
