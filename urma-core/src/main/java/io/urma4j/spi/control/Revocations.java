package io.urma4j.spi.control;

import io.urma4j.Revocation;
import io.urma4j.spi.support.Timers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pending revocations of one segment. The provider notifies all importers first; then it waits for all, so that an
 * importer that does not answer delays no other. The engine's thread.
 *
 * @param <G> a grant: an import of one importer
 */
public final class Revocations<G> {
    private final Function<G, String> importer;
    private final List<Pending> pending = new ArrayList<>();

    /**
     * No revocation.
     *
     * @param importer names the holder of a grant
     */
    public Revocations(Function<G, String> importer) {
        this.importer = importer;
    }

    /**
     * Waits for the end of all current grants.
     *
     * @param clock of the engine
     * @param whenReleased runs when the last of them has ended, also after the deadline
     * @param whenLate runs at the deadline, with the importers whose grants have not ended
     */
    public CompletableFuture<Revocation> await(
            Collection<G> grants,
            Timers.Clock clock,
            long deadlineNanos,
            Runnable whenReleased,
            Consumer<List<String>> whenLate) {
        Pending begun = new Pending(grants, whenReleased);
        if (begun.outstanding.isEmpty()) {
            begun.complete();
        } else {
            pending.add(begun);
            begun.timeout = clock.at(deadlineNanos, () -> begun.expire(whenLate));
        }
        return begun.result;
    }

    /** The importer no longer touches the memory by this grant. */
    public void ended(G grant) {
        List.copyOf(pending).forEach(revocation -> revocation.ended(grant));
    }

    private final class Pending {
        private final Set<G> outstanding;
        private final Runnable whenReleased;
        private final CompletableFuture<Revocation> result = new CompletableFuture<>();
        private Timers.@Nullable Timer timeout;

        Pending(Collection<G> grants, Runnable whenReleased) {
            this.outstanding = new HashSet<>(grants);
            this.whenReleased = whenReleased;
        }

        void expire(Consumer<List<String>> whenLate) {
            List<String> importers =
                    outstanding.stream().map(importer).distinct().sorted().toList();
            whenLate.accept(importers);
            result.complete(new Revocation(Revocation.Status.QUARANTINED, importers));
        }

        void ended(G grant) {
            if (outstanding.remove(grant) && outstanding.isEmpty()) {
                pending.remove(this);
                complete();
            }
        }

        void complete() {
            if (timeout != null) {
                timeout.cancel();
            }
            whenReleased.run();
            result.complete(Revocation.COMPLETED);
        }
    }
}
