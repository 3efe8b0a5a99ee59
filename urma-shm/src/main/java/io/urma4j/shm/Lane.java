package io.urma4j.shm;

/**
 * The flow of messages from one send queue to one target: they arrive in order, and a target that is not ready holds up
 * this flow and no other (S12.1). Guarded by the queue's lock.
 */
final class Lane {
    final ShmTarget target;
    final PeerLanes peer;

    /** Work requests that name the target and have no record yet. Who has seen a record sees it counted here. */
    int unfinished;

    /** Messages of this flow that lie in the ring, unanswered. */
    int sent;

    /** The scan of the window that found the flow blocked. */
    long blockedInScan;

    /** The next message must tell the receiver that the flow starts anew. */
    boolean restart;

    /** The oldest message was not ready and is being repeated: those behind wait until it is taken. */
    boolean probing;

    /** Not before this time is the oldest message repeated. */
    long retryAtNanos;

    /** How often the oldest message found nobody ready. */
    int rnrRounds;

    Lane(ShmTarget target, PeerLanes peer) {
        this.target = target;
        this.peer = peer;
    }

    /** Its oldest message was given up, or is to be tried again: what lies in the ring comes back first. */
    void startAnew(long nowNanos) {
        probing = true;
        restart = true;
        rnrRounds = 0;
        retryAtNanos = nowNanos;
    }
}
