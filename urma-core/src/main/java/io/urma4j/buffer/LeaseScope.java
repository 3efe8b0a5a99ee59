package io.urma4j.buffer;

import io.urma4j.internal.ResultExecutors;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * The memory of one lease of a checked pool, in an arena of its own. Once it has ended, each access to a segment of the lease throws
 * {@code IllegalStateException}, also by code that has kept it. Safe for any thread.
 */
final class LeaseScope {
    private static final System.Logger LOG = System.getLogger(LeaseScope.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /** @param slab the memory of the slab in a given arena */
    LeaseScope(Function<Arena, MemorySegment> slab) {
        this.memory = slab.apply(arena);
    }

    MemorySegment memory() {
        return memory;
    }

    /** Ends it when the thread has left that is in a system call with a segment of the lease; another thread waits for that. */
    void endLater(Runnable then) {
        LOG.log(
                Level.WARNING,
                "a lease is over, and a thread still uses a segment of it in a system call: {0}",
                memory);
        ResultExecutors.VIRTUAL_THREADS.execute(() -> {
            while (!tryEnd()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            then.run();
        });
    }

    /** Ends it; false if a thread is in a system call with a segment of the lease. */
    boolean tryEnd() {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) { // it is in use
            return false;
        }
    }
}
