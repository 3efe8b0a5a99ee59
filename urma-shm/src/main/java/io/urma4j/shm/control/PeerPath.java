package io.urma4j.shm.control;

import io.urma4j.AllocOptions;
import io.urma4j.libc.EventFd;
import io.urma4j.shm.memory.ShmMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How far the path to a peer is: none, asked for by us, open. Owned by the engine's thread. */
final class PeerPath {
    /** Our half while we wait for the peer's. */
    static final class Half {
        final ShmMemory ring;
        final EventFd wakeMe;

        private Half(ShmMemory ring, EventFd wakeMe) {
            this.ring = ring;
            this.wakeMe = wakeMe;
        }

        static Half make(long ringBytes, String label) {
            ShmMemory ring = ShmMemory.allocate(ringBytes, AllocOptions.DEFAULT, label);
            try {
                return new Half(ring, EventFd.create());
            } catch (RuntimeException e) {
                ring.close();
                throw e;
            }
        }

        void close() {
            ring.close();
            wakeMe.close();
        }
    }

    private final List<CompletableFuture<Void>> waiters = new ArrayList<>();
    private @Nullable Half asked;
    private @Nullable PathMemory open;

    Engine.@Nullable Watch watch;

    boolean isOpen() {
        return open != null;
    }

    @Nullable
    PathMemory open() {
        return open;
    }

    @Nullable
    Half asked() {
        return asked;
    }

    void ask(Half half) {
        asked = half;
    }

    /** Our half, when it is still this one that we wait with; it belongs to the caller then. */
    boolean takeAsked(Half half) {
        if (asked != half) {
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
