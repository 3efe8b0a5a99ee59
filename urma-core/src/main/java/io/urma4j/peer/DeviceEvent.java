package io.urma4j.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A point in the work of a device: done once everything is that an event of the device's library has recorded, such as a kernel that
 * fills a buffer. A work request can {@linkplain io.urma4j.WorkRequestList#after wait} for it. Later records of the same event do
 * not count. Created by {@link PeerMemory#event}. Safe for any thread.
 */
public final class DeviceEvent {
    private static final long MAX_PARK_NANOS = 200_000;

    private final String name;
    private final List<Runnable> actions = new ArrayList<>(); // guarded by this
    private volatile boolean done;
    private @Nullable RuntimeException failure; // published by done

    private DeviceEvent(String name) {
        this.name = name;
    }

    static DeviceEvent of(ClientEntry client, int ordinal, long event) {
        var recorded = new DeviceEvent(client.name() + ":" + ordinal + " event 0x" + Long.toHexString(event));
        client.engine(ordinal).whenDone(event, recorded::end);
        return recorded;
    }

    /** The first end counts. */
    private void end(@Nullable RuntimeException reason) {
        List<Runnable> all;
        synchronized (this) {
            if (done) {
                return;
            }
            failure = reason;
            done = true;
            all = List.copyOf(actions);
            actions.clear();
        }
        all.forEach(Runnable::run);
    }

    /** Whether the work is finished, or will never be. */
    public boolean isDone() {
        return done;
    }

    /** Why the work will never be finished; null if it is, or is in progress. */
    public @Nullable RuntimeException failure() {
        return done ? failure : null;
    }

    /** Waits for the end. Returns whether it came in time. */
    public boolean await(Duration timeout) {
        long deadlineNanos = System.nanoTime() + timeout.toNanos();
        for (long parkNanos = 1_000; !done; parkNanos = Math.min(2 * parkNanos, MAX_PARK_NANOS)) {
            if (System.nanoTime() - deadlineNanos >= 0) {
                return false;
            }
            LockSupport.parkNanos(this, parkNanos);
        }
        return true;
    }

    /** For providers: runs an action at the end, at once if that has come, else on a thread of the client, which it must not block. */
    public void whenDone(Runnable action) {
        synchronized (this) {
            if (!done) {
                actions.add(action);
                return;
            }
        }
        action.run();
    }

    @Override
    public String toString() {
        RuntimeException why = failure();
        return name + (why != null ? ", failed: " + why.getMessage() : done ? ", done" : ", in progress");
    }
}
