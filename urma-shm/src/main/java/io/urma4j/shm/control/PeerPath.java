package io.urma4j.shm.control;

import io.urma4j.shm.memory.ShmMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The state of the path to a peer: none, requested, open. Owned by the engine's thread. */
final class PeerPath {
    private final List<CompletableFuture<Void>> waiters = new ArrayList<>();
    private @Nullable ShmMemory asked;
    private @Nullable PathMemory open;

    boolean isOpen() {
        return open != null;
    }

    @Nullable
    PathMemory open() {
        return open;
    }

    /** The ring of this context while it waits for the peer's. */
    @Nullable
    ShmMemory asked() {
        return asked;
    }

    void ask(ShmMemory ring) {
        asked = ring;
    }

    /** The ring of a pending request, if it is this one; the caller then owns it. */
    boolean takeAsked(ShmMemory ring) {
        if (asked != ring) {
            return false;
        }
        asked = null;
        return true;
    }

    /** Cancels a pending request: the peer's own attempt takes precedence, or the request failed. */
    void dropAsked() {
        if (asked != null) {
            asked.close();
            asked = null;
        }
    }

    void await(CompletableFuture<Void> waiter) {
        waiters.add(waiter);
    }

    boolean isAwaited() {
        return waiters.stream().anyMatch(waiter -> !waiter.isDone());
    }

    /** It is open at this end. */
    void opens(PathMemory path) {
        open = path;
    }

    /** The peer will never hear of it. */
    void undo() {
        open = null;
    }

    /** It is open at both ends. */
    void opened() {
        List<CompletableFuture<Void>> served = List.copyOf(waiters);
        waiters.clear();
        served.forEach(waiter -> waiter.complete(null));
    }

    void failed(Throwable why) {
        List<CompletableFuture<Void>> served = List.copyOf(waiters);
        waiters.clear();
        served.forEach(waiter -> waiter.completeExceptionally(why));
    }
}
