package io.urma4j.buffer;

import io.urma4j.RemoteSegment;
import io.urma4j.UrmaException;
import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ResultExecutors;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Windows and segments of {@link OpenHomes} that are to be closed. They are collected under the lock of these, and closed without it:
 * windows by the thread that found them unused, segments on a virtual thread, because their homes must answer.
 */
final class UnusedParts {
    private static final System.Logger LOG = System.getLogger(UnusedParts.class.getName());

    private final Queue<OpenWindow> windows = new ConcurrentLinkedQueue<>();
    private final Map<OpenSegment, CompletableFuture<Void>> ends =
            new ConcurrentHashMap<>(); // of those that are being closed
    private final Consumer<OpenWindow> onClosed;

    /** @param onClosed told of each window that is closed */
    UnusedParts(Consumer<OpenWindow> onClosed) {
        this.onClosed = onClosed;
    }

    /** Under the lock of the homes. */
    void add(OpenWindow window) {
        windows.add(window);
    }

    /** Under the lock of the homes. */
    void add(OpenSegment segment, boolean withQueue) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        ends.put(segment, end);
        ResultExecutors.VIRTUAL_THREADS.execute(() -> {
            if (withQueue) {
                segment.queue.close(Checks.closed(segment.queue));
            }
            close(segment.remote);
            ends.remove(segment);
            end.complete(null);
        });
    }

    /** Closes the windows. One that its device still counts as used is closed another time. */
    void closeAll() {
        if (!windows.isEmpty()) {
            List<OpenWindow> again = new ArrayList<>();
            for (OpenWindow window = windows.poll(); window != null; window = windows.poll()) {
                try {
                    window.remote.close();
                    onClosed.accept(window);
                } catch (UrmaException e) {
                    again.add(window);
                }
            }
            windows.addAll(again);
        }
    }

    /** Closes an import; its context does later what its home does not answer now. */
    static void close(RemoteSegment segment) {
        try {
            segment.close();
        } catch (UrmaException e) {
            LOG.log(Level.DEBUG, segment + " could not be closed", e);
        }
    }

    /** Waits for the segments. */
    void await() {
        for (CompletableFuture<Void> end : List.copyOf(ends.values())) {
            Await.uninterrupted(this, end);
        }
    }

    @Override
    public String toString() {
        return windows.size() + " windows to be closed";
    }
}
