package io.urma4j.udma.device;

import org.jspecify.annotations.Nullable;

/**
 * The flow of work requests from one send queue to one target: messages arrive in order, and a target that is not ready
 * holds up this flow and no other (S12.1).
 */
final class Flow {
    private static final long NONE = -1;

    final int handle;
    final Target target;

    /** Null for datagrams, which follow nothing. */
    final @Nullable PeerFlow peer;

    /** Messages of this flow that were started and have no answer. */
    int sent;

    /** The scan that found the flow blocked. */
    long blockedInScan;

    /** The next message must tell the receiver that the flow starts anew. */
    boolean restart = true; // an earlier life of this flow may have been held back

    /** The oldest message was not ready and is being repeated: those behind wait until it is taken. */
    boolean probing;

    /** Which message is being repeated; what comes back from behind it says nothing new. */
    long probePosition = NONE;

    /** Not before this time is the oldest message repeated. */
    long retryAtNanos;

    /** How often the oldest message found nobody ready. */
    int rnrRounds;

    /** A work request to it has failed, and failures are the target's own (S6.12). */
    boolean failed;

    Flow(int handle, Target target, @Nullable PeerFlow peer) {
        this.handle = handle;
        this.target = target;
        this.peer = peer;
    }

    /** Its oldest message was given up, or is to be tried again: what was started behind it comes back first. */
    void startAnew(long nowNanos) {
        probing = true;
        probePosition = NONE;
        restart = true;
        rnrRounds = 0;
        retryAtNanos = nowNanos;
    }
}
