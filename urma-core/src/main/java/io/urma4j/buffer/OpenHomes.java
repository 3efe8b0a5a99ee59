package io.urma4j.buffer;

import io.urma4j.Jfc;
import io.urma4j.Jfce;
import io.urma4j.PeerId;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Transfers} have opened of homes with one context: imports of segments, their windows, and a queue to each home. Opened
 * at the first use; the least recently used are closed beyond the limits, and those of a home that is gone at once. Whatever an
 * unfinished request uses stays open. Safe for any thread.
 *
 * <pre>
 *  RemoteBuf.Window ──► OpenWindow ──► OpenSegment ──► TransferQueue
 *                        (many)          (few)          one for each home, as long as a segment of it is imported
 * </pre>
 *
 * <p>To import a segment asks the home and blocks, and so does opening some of its windows, such as the first. So callers use what
 * {@link #useKnown} gives at once, and leave the rest to {@link #open} on a virtual thread.
 */
final class OpenHomes {
    private final UrmaContext context;
    private final TransferOptions options;
    private final TransferCounters counters;
    private final @Nullable Jfce jfce;
    private final SegmentImports importing;
    private final ReentrantLock lock = new ReentrantLock();

    // under the lock
    private final WindowsByUse windows = new WindowsByUse();
    private final Map<SegmentDescriptor, OpenSegment> segments = new HashMap<>();
    private final Map<PeerId, TransferQueue> byHome = new HashMap<>();
    private final UnusedParts unused = new UnusedParts(this::closed);
    private long uses;
    private volatile boolean closed; // written under the lock

    private volatile TransferQueue[] queues = {}; // of byHome

    /** @param jfce for the events of its queues; null if threads poll them */
    OpenHomes(UrmaContext context, TransferOptions options, TransferCounters counters, @Nullable Jfce jfce) {
        this.context = context;
        this.options = options;
        this.counters = counters;
        this.jfce = jfce;
        this.importing = new SegmentImports(context, this::segmentOf, this::add);
    }

    UrmaContext context() {
        return context;
    }

    /** The queues to all homes; the caller does not write the array. */
    TransferQueue[] queues() {
        return queues;
    }

    /** The queue whose records go there; null if it was closed. */
    @Nullable
    TransferQueue queueOf(Jfc jfc) {
        for (TransferQueue queue : queues) {
            if (queue.jfc() == jfc) {
                return queue;
            }
        }
        return null;
    }

    // ---- windows of a batch

    /**
     * Gives the requests of a part their windows, as far as no home must be asked.
     *
     * @return whether all have one
     * @throws UrmaException what a window is refused with
     */
    boolean useKnown(BatchPart part) {
        boolean all = true;
        lock.lock();
        try {
            checkOpen();
            for (int i = 0; i < part.requests(); i++) {
                OpenWindow known = usable(part.remote(i));
                if (known == null) {
                    all = false;
                } else {
                    part.opened(i, known);
                }
            }
        } finally {
            lock.unlock();
        }
        return all || openKnown(part);
    }

    /** Opens windows of segments that are imported. */
    private boolean openKnown(BatchPart part) {
        for (int i = 0; i < part.requests(); i++) {
            if (part.window(i) == null) {
                OpenWindow opened = tryOpen(part.remote(i));
                if (opened == null) {
                    return false;
                }
                part.opened(i, opened);
            }
        }
        return true;
    }

    /** Gives the other requests of a part their windows; blocks, about as long as the batch has time. */
    void open(BatchPart part) {
        for (int i = 0; i < part.requests() && !part.batch().isStopped(); i++) {
            if (part.window(i) == null) {
                part.opened(i, open(part.remote(i), part.batch()));
            }
        }
    }

    /** Ends the uses of the windows of a part. */
    void release(BatchPart part) {
        lock.lock();
        try {
            for (int i = 0; i < part.requests(); i++) {
                OpenWindow window = part.forgetWindow(i);
                if (window != null) {
                    window.users--;
                    window.segment.users--;
                    closeIfUnused(window);
                }
            }
            evictWindows(); // those beyond the limit were in use
            evictSegments(null);
        } finally {
            lock.unlock();
        }
        unused.closeAll();
    }

    // ---- one window

    /** Under the lock: the open window, with one user more; null if there is none that can be used. */
    private @Nullable OpenWindow usable(RemoteBuf.Window key) {
        OpenWindow known = windows.find(key);
        if (known == null || !known.segment.isUsable()) {
            return null;
        }
        if (known.remote.isTakenBack()) {
            throw takenBack(known.remote);
        }
        known.users++;
        use(known.segment);
        return known;
    }

    /** A post on such a window would fail what is in flight to its home. */
    private static UrmaException takenBack(RemoteWindow window) {
        return ApiAccess.api().homeGone(window, "its home revoked the window");
    }

    private void use(OpenSegment segment) {
        segment.users++;
        segment.usedAt = ++uses;
    }

    /** The window, open or opened now; null if its home must be asked for it. */
    private @Nullable OpenWindow tryOpen(RemoteBuf.Window key) {
        OpenSegment segment;
        lock.lock();
        try {
            checkOpen();
            OpenWindow known = usable(key);
            if (known != null) {
                return known;
            }
            segment = segments.get(key.segment());
            if (segment != null && !segment.isUsable()) {
                drop(segment);
                segment = null;
            }
            if (segment == null || !ApiAccess.api().opensAtOnce(segment.remote, key.key())) {
                return null;
            }
            use(segment);
        } finally {
            lock.unlock();
        }
        return openIn(segment, key);
    }

    private OpenWindow open(RemoteBuf.Window key, BatchOp batch) {
        OpenWindow known = tryOpen(key);
        if (known != null) {
            return known;
        }
        OpenSegment segment;
        do {
            segment = importing.imported(key.segment(), batch.nanosLeft());
        } while (!retainsIfOpen(segment)); // it may be evicted already
        return openIn(segment, key);
    }

    /** Opens a window of a segment that has one user more for it. */
    private OpenWindow openIn(OpenSegment segment, RemoteBuf.Window key) {
        RemoteWindow remote;
        try {
            remote = segment.remote.importWindow(key.key());
            if (remote.isTakenBack()) {
                remote.close();
                throw takenBack(remote);
            }
        } catch (UrmaException e) {
            unuse(segment);
            throw e;
        }
        OpenWindow opened = new OpenWindow(key, segment, remote);
        opened.users = 1;
        lock.lock();
        try {
            segment.windows++;
            if (segment.dropped || windows.find(key) != null) {
                opened.dropped = true; // for this use alone
            } else {
                windows.add(opened);
                evictWindows();
            }
        } finally {
            lock.unlock();
        }
        unused.closeAll();
        return opened;
    }

    private void unuse(OpenSegment segment) {
        lock.lock();
        try {
            segment.users--;
            endIfUnused(segment);
        } finally {
            lock.unlock();
        }
        unused.closeAll();
    }

    // ---- imports, by SegmentImports

    private OpenSegment add(SegmentDescriptor descriptor, RemoteSegment remote) {
        OpenSegment made;
        lock.lock();
        try {
            checkOpen();
            PeerId home = new PeerId(descriptor.eid(), descriptor.uasid(), descriptor.incarnation());
            made = new OpenSegment(descriptor, remote, queueTo(home));
            made.queue.segments++;
            made.usedAt = ++uses;
            OpenSegment unusable = segments.put(descriptor, made);
            if (unusable != null) {
                drop(unusable);
            }
            evictSegments(made);
        } finally {
            lock.unlock();
        }
        unused.closeAll();
        return made;
    }

    private Optional<OpenSegment> segmentOf(SegmentDescriptor descriptor) {
        lock.lock();
        try {
            return Optional.ofNullable(segments.get(descriptor)).filter(OpenSegment::isUsable);
        } finally {
            lock.unlock();
        }
    }

    private boolean retainsIfOpen(OpenSegment segment) {
        lock.lock();
        try {
            checkOpen();
            if (segment.dropped) {
                return false;
            }
            use(segment);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private TransferQueue queueTo(PeerId home) {
        TransferQueue queue = byHome.get(home);
        if (queue == null || queue.isClosed()) {
            queue = TransferQueue.open(context, options, counters, jfce, this::dropUnusable);
            byHome.put(home, queue);
            queues = byHome.values().toArray(TransferQueue[]::new);
        }
        return queue;
    }

    // ---- ends, under the lock

    private void evictWindows() {
        while (windows.size() > options.maxWindows()) {
            OpenWindow oldest = windows.oldestUnused();
            if (oldest == null) {
                return;
            }
            windows.drop(oldest);
            closeIfUnused(oldest);
        }
    }

    /** Drops the least recently used segments beyond the limit, but not the new one, if there is one. */
    private void evictSegments(@Nullable OpenSegment made) {
        while (segments.size() > options.maxImports()) {
            OpenSegment oldest = segments.values().stream()
                    .filter(segment -> segment != made && segment.users == 0)
                    .min(Comparator.comparingLong(segment -> segment.usedAt))
                    .orElse(null);
            if (oldest == null) {
                return;
            }
            drop(oldest);
        }
    }

    /** It and its windows are found no more, and are closed after their last use. */
    private void drop(OpenSegment segment) {
        segment.dropped = true;
        segments.remove(segment.descriptor, segment);
        OpenWindow window = windows.oldest();
        while (window != null) {
            OpenWindow next = window.newer;
            if (window.segment == segment) {
                windows.drop(window);
                closeIfUnused(window);
            }
            window = next;
        }
        endIfUnused(segment);
    }

    private void closeIfUnused(OpenWindow window) {
        if (window.dropped && window.users == 0) {
            unused.add(window);
        }
    }

    /** Without the lock: a window is closed. */
    private void closed(OpenWindow window) {
        lock.lock();
        try {
            window.segment.windows--;
            endIfUnused(window.segment);
        } finally {
            lock.unlock();
        }
    }

    private void endIfUnused(OpenSegment segment) {
        if (segment.dropped && segment.users == 0 && segment.windows == 0 && !segment.isEnded) {
            segment.isEnded = true;
            TransferQueue queue = segment.queue;
            queue.segments--;
            boolean isLast = queue.segments == 0;
            if (isLast && byHome.values().remove(queue)) {
                queues = byHome.values().toArray(TransferQueue[]::new);
            }
            unused.add(segment, isLast);
        }
    }

    /** Without the lock: drops the segments of homes that are gone, and those whose queue is closed. */
    private void dropUnusable() {
        lock.lock();
        try {
            for (OpenSegment segment : segments.values().toArray(OpenSegment[]::new)) {
                if (!segment.isUsable()) {
                    drop(segment);
                }
            }
        } finally {
            lock.unlock();
        }
        unused.closeAll();
    }

    // ---- the whole

    /** Whether {@link #close} has begun. */
    boolean isClosed() {
        return closed;
    }

    private void checkOpen() {
        if (closed) {
            throw Checks.closed("transfers on " + context);
        }
    }

    int segmentCount() {
        lock.lock();
        try {
            return segments.size();
        } finally {
            lock.unlock();
        }
    }

    int windowCount() {
        lock.lock();
        try {
            return windows.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all requests with that failure, and closes all. */
    void close(UrmaException failure) {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        importing.end(failure);
        for (TransferQueue queue : queues) {
            queue.close(failure);
        }
        dropUnusable(); // all of them: their queues are closed
        unused.await();
    }

    @Override
    public String toString() {
        return windows + " of " + segments.size() + " segments on " + context;
    }
}
