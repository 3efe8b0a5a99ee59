package io.urma4j.buffer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.urma4j.RemoteSegment;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Await;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The imports in progress of {@link OpenHomes}. Each segment is imported once for all batches that wait for it, and its import goes on
 * if these time out. Safe for any thread; nothing here is called under a lock.
 */
final class SegmentImports {
    private final UrmaContext context;
    private final Function<SegmentDescriptor, Optional<OpenSegment>> find;
    private final BiFunction<SegmentDescriptor, RemoteSegment, OpenSegment> add;
    private final ConcurrentHashMap<SegmentDescriptor, CompletableFuture<OpenSegment>> importing =
            new ConcurrentHashMap<>();

    /**
     * @param find a segment that is imported and usable
     * @param add keeps a segment that was imported, or refuses
     */
    SegmentImports(
            UrmaContext context,
            Function<SegmentDescriptor, Optional<OpenSegment>> find,
            BiFunction<SegmentDescriptor, RemoteSegment, OpenSegment> add) {
        this.context = context;
        this.find = find;
        this.add = add;
    }

    /** The segment, imported for this caller or another. Blocks until the timeout at most. */
    OpenSegment imported(SegmentDescriptor descriptor, long timeoutNanos) {
        CompletableFuture<OpenSegment> mine = new CompletableFuture<>();
        CompletableFuture<OpenSegment> running = importing.putIfAbsent(descriptor, mine);
        if (running == null) {
            beginImport(descriptor, mine);
            running = mine;
        }
        return Await.result(context, running.copy().orTimeout(timeoutNanos, NANOSECONDS));
    }

    /** Its end does not depend on the batches that wait for it. */
    private void beginImport(SegmentDescriptor descriptor, CompletableFuture<OpenSegment> result) {
        OpenSegment known = find.apply(descriptor).orElse(null);
        if (known != null) { // another has just imported it
            importing.remove(descriptor, result);
            result.complete(known);
            return;
        }
        CompletableFuture<RemoteSegment> asked;
        try {
            asked = context.importSegmentAsync(descriptor, null, descriptor.access());
        } catch (UrmaException e) {
            asked = CompletableFuture.failedFuture(e);
        }
        var _ = asked.thenApply(remote -> addOrClose(descriptor, remote)).whenComplete((segment, failure) -> {
            importing.remove(descriptor, result);
            Await.passOn(segment, failure, result);
        });
    }

    private OpenSegment addOrClose(SegmentDescriptor descriptor, RemoteSegment remote) {
        try {
            return add.apply(descriptor, remote);
        } catch (UrmaException e) {
            UnusedParts.close(remote);
            throw e;
        }
    }

    /** Fails all, for those that wait. */
    void end(UrmaException failure) {
        importing.values().forEach(result -> result.completeExceptionally(failure));
    }

    @Override
    public String toString() {
        return importing.size() + " imports on " + context;
    }
}
