package io.urma4j.shm.control;

import io.urma4j.spi.control.ControlMessage.Revoke;

/** An import that we granted. The engine's thread. */
final class Grant {
    private final long number;
    private final ShmSegment segment;
    private final Peer importer;
    private final Connection via;
    private boolean told;

    /**
     * A grant.
     *
     * @param number never used again in this context
     * @param via the connection on which it was granted, and on which it is taken back: so neither overtakes the other
     */
    Grant(long number, ShmSegment segment, Peer importer, Connection via) {
        this.number = number;
        this.segment = segment;
        this.importer = importer;
        this.via = via;
    }

    long number() {
        return number;
    }

    ShmSegment segment() {
        return segment;
    }

    Peer importer() {
        return importer;
    }

    /** Tells the importer to let go, once. */
    void tell() {
        if (!told) {
            told = true;
            via.send(new Revoke(number));
        }
    }
}
