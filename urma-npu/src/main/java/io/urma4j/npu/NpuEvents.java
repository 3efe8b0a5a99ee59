package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DmaEngine.EventListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Events of a device: each stands behind a kernel that runs until a test ends it. Safe for any thread. */
final class NpuEvents {
    private final NpuDevice device;
    private final Map<Long, Recorded> all =
            new HashMap<>(); // but those that ended well; guarded by this, with what it holds
    private long last;

    private @Nullable UrmaException loss; // of the device

    NpuEvents(NpuDevice device) {
        this.device = device;
    }

    private static final Recorded ENDED_WELL = new Recorded();

    static {
        ENDED_WELL.ended = true;
    }

    private static final class Recorded {
        final List<EventListener> listeners = new ArrayList<>();
        boolean ended;

        @Nullable
        UrmaException failure;
    }

    /** Begins a kernel; returns the event behind it. On a lost device the kernel has failed already. */
    synchronized long record() {
        var recorded = new Recorded();
        recorded.ended = loss != null;
        recorded.failure = loss;
        all.put(++last, recorded);
        return last;
    }

    void whenDone(long event, EventListener listener) {
        UrmaException failure;
        synchronized (this) {
            Recorded recorded = find(event);
            if (!recorded.ended) {
                recorded.listeners.add(listener);
                return;
            }
            failure = recorded.failure;
        }
        listener.ended(failure);
    }

    /** Ends the kernel before an event; a failure is null for success. */
    void end(long event, @Nullable UrmaException failure) {
        List<EventListener> told;
        synchronized (this) {
            Recorded recorded = find(event);
            if (recorded.ended) {
                return;
            }
            recorded.ended = true;
            recorded.failure = failure;
            told = List.copyOf(recorded.listeners);
            recorded.listeners.clear();
            if (failure == null) {
                all.remove(event);
            }
        }
        told.forEach(listener -> listener.ended(failure));
    }

    /** How many are remembered. */
    synchronized int count() {
        return all.size();
    }

    private Recorded find(long event) {
        Recorded recorded = all.get(event);
        if (recorded == null && event >= 1 && event <= last) {
            return ENDED_WELL;
        }
        if (recorded == null) {
            throw new UrmaException(UrmaStatus.EINVAL, device, "has no event " + event);
        }
        return recorded;
    }

    /** The device is lost: fails what has not ended, and what is recorded later. */
    void lose(UrmaException failure) {
        synchronized (this) {
            loss = failure;
        }
        failAll(failure);
    }

    /** Fails what has not ended. */
    void failAll(UrmaException failure) {
        List<Long> left;
        synchronized (this) {
            left = List.copyOf(all.keySet());
        }
        left.forEach(event -> end(event, failure));
    }
}
