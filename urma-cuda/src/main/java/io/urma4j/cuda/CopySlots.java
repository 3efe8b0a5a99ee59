package io.urma4j.cuda;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The copies that the driver of one device may hold at the same time, and the streams that wait for a place. A copy that
 * the driver has cannot be aborted, so the limit is also what an invalidation may have to wait for. Safe for any thread.
 */
final class CopySlots {
    private final int limit;
    private final CudaThread calls;
    private final Deque<CudaStream> waiting = new ArrayDeque<>(); // both guarded by this
    private int taken;

    CopySlots(int limit, CudaThread calls) {
        this.limit = limit;
        this.calls = calls;
    }

    /** Takes a place for a copy of {@code stream}, which runs again later if there is none. */
    synchronized boolean tryTake(CudaStream stream) {
        if (taken == limit) {
            waiting.addLast(stream);
            return false;
        }
        taken++;
        return true;
    }

    void giveBack() {
        CudaStream next;
        synchronized (this) {
            taken--;
            next = waiting.pollFirst();
        }
        if (next != null) {
            calls.post(next); // not under the lock: a thread that has ended refuses, by which copies end
        }
    }
}
