package io.urma4j.udma.device;

import io.urma4j.udma.transport.FlushHint;

/** A queue or a connection, which runs when it has work: in a round of the card's step, by a {@link ReadyList}. */
abstract class Task extends Deadlines.Timed {
    /** Whether it is on its ready list. */
    boolean isReady;

    /** Does all there is to do in a shorter way, which it may take when it is the only one of its list; false if it cannot. */
    boolean sendsAtOnce(long nowNanos) {
        return false;
    }

    /** Does what there is to do, but for what the hint leaves to the card's next step; returns whether there is more. */
    abstract boolean step(long nowNanos, FlushHint hint);
}
