package io.urma4j.udma.device;

import io.urma4j.spi.support.SendFlow;
import org.jspecify.annotations.Nullable;

/** The flow of work requests from one send queue to one target. */
final class Flow extends SendFlow {
    private static final long NONE = -1;

    final int handle;
    final Target target;

    /** Null for datagrams, which follow nothing. */
    final @Nullable PeerFlow peer;

    /** Which message is being retransmitted; what comes back from behind it says nothing new. */
    long probePosition = NONE;

    /** A work request to it has failed, and failures are the target's own (S6.12). */
    boolean failed;

    Flow(int handle, Target target, @Nullable PeerFlow peer) {
        super(peer);
        this.handle = handle;
        this.target = target;
        this.peer = peer;
    }

    @Override
    public void startAnew(long nowNanos) {
        super.startAnew(nowNanos);
        probePosition = NONE;
    }
}
