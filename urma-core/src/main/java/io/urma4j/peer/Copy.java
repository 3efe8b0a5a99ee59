package io.urma4j.peer;

import io.urma4j.spi.support.FieldHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one copy; reusable, so that a queue of copies allocates nothing. The thread that starts a copy owns it until
 * {@link #isDone}; the {@link CopyStream} reports the end on a thread of its own. What that thread wrote before is visible to
 * the thread that sees the end.
 */
public final class Copy {
    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int ENDING = 2;
    private static final int SUCCEEDED = 3;
    private static final int FAILED = 4;

    private static final VarHandle STATE = FieldHandle.of(MethodHandles.lookup(), "state", int.class);

    private static final int SPINS = 2_000;
    private static final long YIELD_NANOS = 500_000; // parking takes 50 µs at least
    private static final long MAX_PARK_NANOS = 200_000;

    @SuppressWarnings("unused") // by STATE
    private volatile int state = IDLE;

    private @Nullable RuntimeException failure; // published by STATE

    /** Its places among the copies of the region whose bytes it moves, and of the other region if both ends have one. */
    final CopyHold near = new CopyHold(this);

    final CopyHold far = new CopyHold(this);

    /** A copy that has not been started. */
    public Copy() {}

    /** Called by a stream that takes the copy. ISE if the copy is in progress. */
    public void begin() {
        int now = (int) STATE.getAcquire(this);
        if (now == RUNNING || now == ENDING) {
            throw new IllegalStateException("this copy is in progress");
        }
        failure = null;
        STATE.setRelease(this, RUNNING);
    }

    /** Called by a stream once the last byte has moved. The first of {@code complete} and {@link #fail} counts. */
    public void complete() {
        end(SUCCEEDED, null);
    }

    /** Called by a stream once no further byte will move, and some did not. */
    public void fail(RuntimeException reason) {
        end(FAILED, reason);
    }

    private void end(int result, @Nullable RuntimeException reason) {
        if (!STATE.compareAndSet(this, RUNNING, ENDING)) {
            return;
        }
        failure = reason;
        near.release(); // before the result: the owner may reuse the copy at once
        far.release();
        STATE.setRelease(this, result);
    }

    /** Whether no byte will move any more, also before the first start. */
    public boolean isDone() {
        int now = (int) STATE.getAcquire(this);
        return now != RUNNING && now != ENDING;
    }

    /** Why the last copy failed; null if it succeeded, or is in progress. */
    public @Nullable RuntimeException failure() {
        return (int) STATE.getAcquire(this) == FAILED ? failure : null;
    }

    /** Waits for the end, awake at first. Returns whether it came in time. */
    public boolean await(long timeoutNanos) {
        for (int i = 0; i < SPINS; i++) {
            if (isDone()) {
                return true;
            }
            Thread.onSpinWait();
        }
        long start = System.nanoTime();
        long parkNanos = 1_000;
        while (!isDone()) {
            long waitedNanos = System.nanoTime() - start;
            if (waitedNanos >= timeoutNanos) {
                return false;
            }
            if (waitedNanos < YIELD_NANOS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, parkNanos);
                parkNanos = Math.min(2 * parkNanos, MAX_PARK_NANOS);
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return switch ((int) STATE.getAcquire(this)) {
            case IDLE -> "copy that was never started";
            case SUCCEEDED -> "finished copy";
            case FAILED -> "failed copy: " + failure;
            default -> "copy in progress";
        };
    }
}
