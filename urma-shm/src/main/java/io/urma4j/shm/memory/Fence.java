package io.urma4j.shm.memory;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The end of a mapping: to close its shared arena is the fence after which no thread of this process touches it.
 *
 * <p>The JDK makes every thread pass a handshake, and whoever is in the middle of an access gets an exception there. It
 * refuses while a native call holds the memory; then nothing else helps than to try again.
 */
final class Fence {
    private static final long RETRY_NANOS = 200_000;

    /**
     * One handshake at a time, in the whole process. HotSpot has one thread that makes them, and wakes all who wait for it
     * after each: sixteen contexts that lose an import together would be woken sixteen times each. Held for one handshake.
     */
    private static final ReentrantLock HANDSHAKE = new ReentrantLock();

    private Fence() {}

    /** Closes it now, if no native call holds it; true when it is closed, also since long. */
    static boolean tryClose(Arena arena) {
        HANDSHAKE.lock();
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            return true;
        } catch (IllegalStateException e) {
            return !arena.scope().isAlive(); // else a native call holds it: the JDK throws nothing more exact
        } finally {
            HANDSHAKE.unlock();
        }
    }

    /** Closes it as soon as no native call holds it, at the latest at the deadline. */
    static boolean close(Arena arena, long deadlineNanos) {
        while (!tryClose(arena)) {
            if (deadlineNanos - System.nanoTime() <= 0) {
                return false;
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
        return true;
    }
}
