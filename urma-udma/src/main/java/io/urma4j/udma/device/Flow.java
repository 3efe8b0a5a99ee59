package io.urma4j.udma.device;

import io.urma4j.spi.support.SendFlow;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The flow of work requests from one send queue to one queue of a peer, or to the memory of its context. A queue that was imported
 * twice is two targets with one flow (S8.9).
 */
final class Flow extends SendFlow {
    private static final long NONE = -1;

    final Target target;

    /** How many targets are this one. */
    int targets;

    /** Null for datagrams, which follow nothing. */
    final @Nullable PeerFlow peer;

    /** Which message is being retransmitted; what comes back from behind it says nothing new. */
    long probePosition = NONE;

    /** Those of its targets at which a message has failed, where failures are a target's own (S6.12). */
    final Set<Integer> failedTargets = new HashSet<>();

    Flow(Target target, @Nullable PeerFlow peer) {
        super(peer);
        this.target = target;
        this.peer = peer;
    }

    @Override
    public void startAnew(long nowNanos) {
        super.startAnew(nowNanos);
        probePosition = NONE;
    }
}
