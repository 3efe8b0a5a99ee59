package io.urma4j.shm.control;

import io.urma4j.Revocation;
import io.urma4j.spi.support.Timers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The revocation of a segment's grants. It notifies all importers first and then waits for all, so that an importer that
 * does not answer delays no other. The engine's thread.
 */
final class SegmentRevocation {
    private final ShmSegment segment;
    private final Set<Grant> outstanding;
    private final Runnable whenReleased;
    private final CompletableFuture<Revocation> result = new CompletableFuture<>();
    private Timers.@Nullable Timer timeout;

    private SegmentRevocation(ShmSegment segment, Runnable whenReleased) {
        this.segment = segment;
        this.outstanding = new HashSet<>(segment.grants.values());
        this.whenReleased = whenReleased;
    }

    /**
     * Revokes all current grants.
     *
     * @param whenReleased runs when the last of them has ended, also after the deadline
     * @param whenLate runs at the deadline, with the importers that have not released the segment
     */
    static CompletableFuture<Revocation> begin(
            Engine engine, ShmSegment segment, long deadlineNanos, Runnable whenReleased, Late whenLate) {
        segment.grants.values().forEach(Grant::hear); // an importer that has released it need not be asked
        SegmentRevocation begun = new SegmentRevocation(segment, whenReleased);
        begun.outstanding.forEach(Grant::tell);
        if (begun.outstanding.isEmpty()) {
            begun.complete();
        } else {
            segment.withdrawals.add(begun);
            begun.timeout = engine.at(deadlineNanos, () -> begun.late(whenLate));
        }
        return begun.result;
    }

    /** Handles memory that some importers still hold. */
    @FunctionalInterface
    interface Late {
        void with(List<String> importers);
    }

    private void late(Late whenLate) {
        List<String> importers = outstanding.stream()
                .map(grant -> grant.importer().toString())
                .distinct()
                .sorted()
                .toList();
        whenLate.with(importers);
        result.complete(new Revocation(Revocation.Status.QUARANTINED, importers));
    }

    /** The importer no longer touches the memory. */
    void ended(Grant grant) {
        if (outstanding.remove(grant) && outstanding.isEmpty()) {
            segment.withdrawals.remove(this);
            complete();
        }
    }

    private void complete() {
        if (timeout != null) {
            timeout.cancel();
        }
        whenReleased.run();
        result.complete(Revocation.COMPLETED);
    }
}
