package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.spi.control.ControlMessage.Revoke;

/** An import that this home granted. The engine's thread. */
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
     * @param number never reused in this context
     * @param via the connection on which it was granted, and on which it is revoked: so neither message overtakes the other
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

    /** The granted access. For any thread. */
    Access access() {
        return access;
    }

    /** Whether the importer no longer touches the memory by this grant. For any thread. */
    boolean hasEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    /** Processes pending messages of the importer, such as its release. */
    void hear() {
        via.drain();
    }

    /** Notifies the importer of the revocation, once. */
    void tell() {
        if (!told) {
            told = true;
            via.send(new Revoke(number));
        }
    }
}
