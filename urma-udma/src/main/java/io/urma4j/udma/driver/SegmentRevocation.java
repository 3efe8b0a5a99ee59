package io.urma4j.udma.driver;

import io.urma4j.Revocation;
import io.urma4j.spi.support.Timers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The revocation of a segment's grants: their keys are invalid, and their importers are notified, all first, before any
 * answer is awaited. The engine's thread.
 */
final class SegmentRevocation {
    private final UdmaSegment segment;
    private final Set<Grant> outstanding;
    private final Runnable whenReleased;
    private final CompletableFuture<Revocation> result = new CompletableFuture<>();
    private Timers.@Nullable Timer timeout;

    private SegmentRevocation(UdmaSegment segment, Runnable whenReleased) {
        this.segment = segment;
        this.outstanding = new HashSet<>(segment.grants.values());
        this.whenReleased = whenReleased;
    }

    /**
     * Waits for the end of all current grants.
     *
     * @param whenReleased runs when the last of them has ended, also after the deadline
     * @param whenLate runs at the deadline, with the importers that have not answered
     */
    static CompletableFuture<Revocation> begin(
            EngineThread engine,
            UdmaSegment segment,
            long deadlineNanos,
            Runnable whenReleased,
            Consumer<List<String>> whenLate) {
        SegmentRevocation begun = new SegmentRevocation(segment, whenReleased);
        if (begun.outstanding.isEmpty()) {
            begun.complete();
        } else {
            segment.withdrawals.add(begun);
            begun.timeout = engine.at(deadlineNanos, () -> begun.late(whenLate));
        }
        return begun.result;
    }

    private void late(Consumer<List<String>> whenLate) {
        List<String> importers = outstanding.stream()
                .map(grant -> grant.importer().peer().toString())
                .distinct()
                .sorted()
                .toList();
        whenLate.accept(importers);
        result.complete(new Revocation(Revocation.Status.QUARANTINED, importers));
    }

    /** The importer has acknowledged, or is gone. */
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
