package io.urma4j.cuda;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The copies that the driver of one device may hold at the same time, and the streams that wait for a place. A copy that
 * the driver has cannot be aborted, so the limit is also what an invalidation may have to wait for. Safe for any thread.
 */
final class CopySlots {
    private final int limit;
    private final Deque<CudaStream> waiting = new ArrayDeque<>(); // both guarded by this
    private volatile int taken; // also read without

    CopySlots(int limit) {
        this.limit = limit;
    }

    /** Whether the driver has copies. */
    boolean areTaken() {
        return taken > 0;
    }

    /** Whether the driver has one copy, and no other. */
    boolean isOneTaken() {
        return taken == 1;
    }

    /** Takes a place for a copy of {@code stream}, which runs again later if there is none. */
    synchronized boolean tryTake(CudaStream stream) {
        if (taken == limit) {
            waiting.addLast(stream);
            return false;
        }
        taken = taken + 1;
        return true;
    }

    /** Gives a place back; the result is a stream to run again, or null. */
    synchronized @Nullable CudaStream giveBack() {
        taken = taken - 1;
        return waiting.pollFirst();
    }
}
