package io.urma4j.udma.device;

/**
 * All work requests from one send queue on one connection. A one-sided operation follows every message of the queue to that
 * peer, whatever its target, and later messages follow it: the home of a segment is one target (S8.9).
 */
final class PeerFlow {
    final CardConnection link;

    /** Work requests in progress. */
    int sent;

    /** Messages among them. */
    int sentMessages;

    /** READs and atomics among them. */
    int sentFetches;

    /**
     * READs among them: a request that changes the home's memory waits for their responses, because a READ whose response
     * is lost is executed again.
     */
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
