package io.urma4j.shm.control;

import io.urma4j.shm.memory.ShmMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How far the path to a peer is: none, asked for by us, open. Owned by the engine's thread. */
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

    /** Our ring while we wait for the peer's. */
    @Nullable
    ShmMemory asked() {
        return asked;
    }

    void ask(ShmMemory ring) {
        asked = ring;
    }

    /** Our ring, when it is still this one that we wait with; it belongs to the caller then. */
    boolean takeAsked(ShmMemory ring) {
        if (asked != ring) {
            return false;
        }
        asked = null;
        return true;
    }

    /** Gives up what we asked for: the peer's own attempt goes first, or it is over. */
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

    void opened(PathMemory path) {
        open = path;
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
