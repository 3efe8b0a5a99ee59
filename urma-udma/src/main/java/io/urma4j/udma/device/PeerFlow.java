package io.urma4j.udma.device;

/**
 * All work requests from one send queue by one connection. A one-sided operation follows every message of the queue to that
 * peer, whatever its target, and the messages behind follow it: the home of a segment is one target (S8.9).
 */
final class PeerFlow {
    final CardConnection link;

    /** Work requests that were started and have no answer. */
    int sent;

    /** Messages among them. */
    int sentMessages;

    /** READs and atomics among them. */
    int sentFetches;

    /** READs among them: what changes the home's memory waits for their answers, for a READ whose answer is lost is done again. */
    int sentReads;

    /** The scan that found a flow to this peer blocked. */
    long flowBlockedInScan;

    /** The scan that found a one-sided operation to this peer blocked. */
    long oneSidedBlockedInScan;

    /** The scan that found the connection full. */
    long fullInScan;

    PeerFlow(CardConnection link) {
        this.link = link;
    }
}
