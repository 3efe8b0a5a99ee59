package io.urma4j.spi.support;

import java.util.concurrent.locks.LockSupport;

/** A pause of a thread that must not stop waiting, such as one that closes. */
public final class Pause {
    private Pause() {}

    /** Parks for that time at most. An interrupted thread pauses as well, and its flag is set again afterwards. */
    public static void nanos(Object blocker, long nanos) {
        boolean wasInterrupted = Thread.interrupted(); // else it would not park, and its loop would spin
        LockSupport.parkNanos(blocker, nanos);
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
