package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.spi.control.ControlMessage.Revoke;

/** An import that we granted. The engine's thread. */
final class Grant {
    private final long number;
    private final ShmSegment segment;
    private final Peer importer;
    private final Connection via;
    private final Access access;
    private boolean told;
    private volatile boolean ended;

    /**
     * A grant.
     *
     * @param number never used again in this context
     * @param via the connection on which it was granted, and on which it is taken back: so neither overtakes the other
     */
    Grant(long number, ShmSegment segment, Peer importer, Connection via, Access access) {
        this.number = number;
        this.segment = segment;
        this.importer = importer;
        this.via = via;
        this.access = access;
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

    /** What he may do. For any thread. */
    Access access() {
        return access;
    }

    /** Whether he touches nothing by it any more. For any thread. */
    boolean hasEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    /** Hears what the importer has said already, such as that he has given it back. */
    void hear() {
        via.drain();
    }

    /** Tells the importer to let go, once. */
    void tell() {
        if (!told) {
            told = true;
            via.send(new Revoke(number));
        }
    }
}
