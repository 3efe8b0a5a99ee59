package io.urma4j.socket.peering;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a thread has stored something that is to be posted. The thread that stores sets it without a lock; the one that posts takes it
 * first. So a store either precedes the post that took the flag, or sets it again.
 */
final class StoreFlag {
    private final AtomicBoolean set = new AtomicBoolean();

    void set() {
        set.set(true);
    }

    boolean isSet() {
        return set.get();
    }

    /** Whether it was set since the last call. One step: a store between a read and a clear would be lost. */
    boolean take() {
        return set.get() && set.getAndSet(false);
    }
}
