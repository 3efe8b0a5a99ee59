package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The end of a mapping: to close its shared arena is the fence after which no thread of this process touches it.
 *
 * <p>The JDK makes every thread pass a handshake, and a thread in the middle of an access gets an exception there. It refuses
 * while a native call holds the memory; then only a retry helps.
 */
public final class Fence {
    private static final long RETRY_NANOS = 200_000;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    /**
     * One handshake at a time, in the whole process. HotSpot has one thread that makes them, and wakes all waiting threads
     * after each: sixteen contexts that lose an import together would be woken sixteen times each. Held for one handshake.
     */
    private static final ReentrantLock HANDSHAKE = new ReentrantLock();

    private Fence() {}

    /** Closes it now, if no native call holds it; true if it is closed, also by an earlier call. */
    public static boolean tryClose(Arena arena) {
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
    public static boolean close(Arena arena, long deadlineNanos) {
        while (!tryClose(arena)) {
            if (deadlineNanos - System.nanoTime() <= 0) {
                return false;
            }
            Pause.nanos(arena, RETRY_NANOS);
        }
        return true;
    }

    /**
     * Closes the arena of a memory.
     *
     * @throws UrmaException EAGAIN if a native call holds it for long
     */
    public static void close(Object memory, Arena arena) {
        if (!close(arena, System.nanoTime() + PATIENCE_NANOS)) {
            throw new UrmaException(UrmaStatus.EAGAIN, memory, "cannot be closed, a native call still uses it");
        }
    }
}
