package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A point in the work of a device: done once everything is that an event of the device's library has recorded, such as a kernel that
 * fills a buffer. A work request can {@linkplain io.urma4j.WorkRequestList#after wait} for it. Once it is done, later records of the same
 * event do not count; before, they may. Created by {@link PeerMemory#event}. Safe for any thread.
 */
public final class DeviceEvent {
    private static final System.Logger LOG = System.getLogger(DeviceEvent.class.getName());

    private final String name;
    private final List<Runnable> actions = new ArrayList<>(); // guarded by this
    private final CountDownLatch ended = new CountDownLatch(1); // for threads that wait
    private volatile boolean done;
    private @Nullable RuntimeException failure; // published by done

    private DeviceEvent(String name) {
        this.name = name;
    }

    static DeviceEvent of(ClientEntry client, int ordinal, long event) {
        var recorded = new DeviceEvent(client.name() + ":" + ordinal + " event 0x" + Long.toHexString(event));
        client.whenDone(ordinal, event, recorded::end);
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
        ended.countDown();
        all.forEach(this::run);
    }

    /** On a thread that the client needs. */
    private void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "{0}: an action after it has failed, and the others go on: {1}", this, e);
        }
    }

    /** Whether the work is finished, or will never be. */
    public boolean isDone() {
        return done;
    }

    /** Why the work will never be finished; null if it is, or is in progress. */
    public @Nullable RuntimeException failure() {
        return done ? failure : null;
    }

    /**
     * Waits for the end. Returns whether it came in time.
     *
     * @throws UrmaException EAGAIN if the thread was interrupted; its flag is set again
     */
    public boolean await(Duration timeout) {
        try {
            return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UrmaException(UrmaStatus.EAGAIN, this, "the waiting thread was interrupted", e);
        }
    }

    /** For providers: runs an action at the end, at once if that has come, else on a thread of the client, which it must not block. */
    public void whenDone(Runnable action) {
        synchronized (this) {
            if (!done) {
                actions.add(action);
                return;
            }
        }
        run(action);
    }

    @Override
    public String toString() {
        RuntimeException why = failure();
        return name + (why != null ? ", failed: " + why.getMessage() : done ? ", done" : ", in progress");
    }
}
