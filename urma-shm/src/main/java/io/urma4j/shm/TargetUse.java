package io.urma4j.shm;

import java.util.function.Consumer;

/** What one send queue sends by one import. Guarded by the queue's lock. */
final class TargetUse {
    final ShmTarget target;
    final Lane lane;
    private final Consumer<TargetUse> onEnd;

    /** Work requests that name the target and have no record yet. A thread that has seen a record sees it counted here. */
    int unfinished;

    /** @param onEnd takes the lock */
    TargetUse(ShmTarget target, Lane lane, Consumer<TargetUse> onEnd) {
        this.target = target;
        this.lane = lane;
        this.onEnd = onEnd;
    }

    /** The target is closed. Takes the lock. */
    void end() {
        onEnd.accept(this);
    }
}
