package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.support.Timers;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The imports of this context, and their release and revocation. The fence runs on the engine's thread and never waits
 * there: while a native call holds a mapping, a timer retries it.
 */
final class Imports {
    private static final long FENCE_RETRY_NANOS = 1_000_000;

    private final Engine engine;
    private final ContextEvents events;
    private final long closeTimeoutNanos;
    private final boolean trustsHugePages;
    private final Windows windows;
    private final Set<ShmImport> ending = new HashSet<>(); // whose fences wait for native calls
    private final long ownPid = ProcessHandle.current().pid();

    Imports(Engine engine, ContextEvents events, long closeTimeoutNanos, boolean trustsHugePages, Windows windows) {
        this.trustsHugePages = trustsHugePages;
        this.engine = engine;
        this.events = events;
        this.closeTimeoutNanos = closeTimeoutNanos;
        this.windows = windows;
    }

    /** Opens windows of imports. */
    Windows windows() {
        return windows;
    }

    /** The deadline of a timeout that starts now. */
    long deadline(Duration timeout) {
        return engine.deadline(timeout);
    }

    /** The time until a deadline; negative if that is over. */
    Duration left(long deadlineNanos) {
        return Duration.ofNanos(deadlineNanos - engine.nanos());
    }

    /** The result of an attempt that another caller has begun; ETIMEOUT if it does not come by the deadline of this one. */
    <T> CompletableFuture<T> until(long deadlineNanos, CompletableFuture<T> attempt, Object what) {
        return engine.ask(() -> {
            CompletableFuture<T> mine = attempt.copy();
            Timers.Timer timeout = engine.at(
                    deadlineNanos,
                    () -> mine.completeExceptionally(
                            new UrmaException(UrmaStatus.ETIMEOUT, what, "was not mapped in time")));
            var _ = mine.whenComplete((_, _) -> timeout.cancel());
            return mine;
        });
    }

    /**
     * Maps a granted segment, unless its home serves it; if it cannot be mapped, the grant is released.
     *
     * @param named number in the keys of windows for this context
     * @param address of its first byte; 0 for any
     * @param again requests the same segment again, to be mapped at that address
     */
    ShmImport granted(
            Requests.Reply reply, int tokenId, long named, Access wanted, long address, ShmImport.Twin again) {
        SegmentGranted grant = reply.as(SegmentGranted.class);
        Peer home = reply.from();
        try {
            boolean windowsOnly = ControlChecks.windowsOnly(home, grant.access(), wanted);
            ShmImport.Terms terms = new ShmImport.Terms(grant.grant(), named, tokenId, wanted, windowsOnly);
            ShmImport made = reply.hasDescriptor() || !home.knowsDeviceMemory()
                    ? new ShmImport(this, map(reply, grant, wanted, address), home, terms, again)
                    : new ShmImport(this, served(home, grant), home, terms, grant.lengthBytes());
            home.imports.put(grant.grant(), made);
            return made;
        } catch (RuntimeException e) {
            giveBack(home, grant.grant());
            throw e;
        }
    }

    private ImportedMapping map(Requests.Reply reply, SegmentGranted grant, Access wanted, long address) {
        try (Fd fd = reply.takeDescriptor()) {
            return ImportedMapping.mapAt(
                    address, fd, grant.offset(), grant.lengthBytes(), wanted.canWrite(), isTrusted(reply.from()));
        }
    }

    private static ImportedMapping served(Peer home, SegmentGranted grant) {
        if (grant.lengthBytes() <= 0) {
            throw new UrmaException(
                    UrmaStatus.FAIL, home, "granted a segment of " + grant.lengthBytes() + " bytes, and no memory");
        }
        return ImportedMapping.none();
    }

    private boolean isTrusted(Peer home) {
        return trustsHugePages || home.pid() == ownPid;
    }

    /** Releases a grant whose caller no longer waits. */
    void giveBack(Peer home, long grant) {
        if (home.outgoing != null) {
            home.outgoing.send(new Unimport(grant));
        }
    }

    /** The home revokes an import; the answer follows when no thread of this process touches the memory any more. */
    void revoked(Peer home, Connection via, long grant) {
        ShmImport taken = home.imports.remove(grant);
        if (taken == null) {
            via.send(new Revoked(grant)); // given back already, and our word of it has crossed the home's
            return;
        }
        take(taken, "its home revoked it", () -> via.send(new Revoked(grant)));
    }

    /** The home is gone, and all of its imports with it. */
    void homeLost(Peer home, String why) {
        List<ShmImport> all = List.copyOf(home.imports.values());
        home.imports.clear();
        for (ShmImport one : all) {
            take(one, "its home is gone: " + why, () -> {});
        }
    }

    private void take(ShmImport taken, String why, Runnable then) {
        taken.markRevoked();
        fence(taken, () -> {
            then.run();
            events.raise(new AsyncEvent(AsyncEvent.Type.SEGMENT_REVOKED, taken, why));
        });
    }

    private void fence(ShmImport ended, Runnable then) {
        if (ended.tryFence()) {
            ending.remove(ended);
            then.run();
        } else {
            ending.add(ended);
            engine.after(FENCE_RETRY_NANOS, () -> fence(ended, then));
        }
    }

    /**
     * Releases an import that its user closed. The caller runs the fence if that is possible at once; then the home is
     * notified without any wait.
     */
    CompletableFuture<Void> close(ShmImport closing) {
        if (closing.tryFence()) {
            engine.submit(() -> forget(closing));
            return CompletableFuture.completedFuture(null);
        }
        return closeSlowly(closing);
    }

    /** Retries while a native call holds the mapping. */
    private CompletableFuture<Void> closeSlowly(ShmImport closing) {
        return engine.ask(() -> {
            CompletableFuture<Void> done = new CompletableFuture<>();
            Timers.Timer timeout = engine.after(
                    closeTimeoutNanos,
                    () -> done.completeExceptionally(new UrmaException(
                            UrmaStatus.EAGAIN,
                            closing,
                            "is still used by a native call or a copy engine, and is closed when that ends")));
            fence(closing, () -> {
                timeout.cancel();
                forget(closing);
                done.complete(null);
            });
            return done;
        });
    }

    /** No thread of this process touches the memory any more: notifies the home, unless the home has revoked it. */
    private void forget(ShmImport closed) {
        if (closed.home().imports.remove(closed.grant(), closed)) {
            giveBack(closed.home(), closed.grant());
        }
    }

    /**
     * Ends the imports of all homes because this context ends; {@code false} while a native call holds one, also of those that
     * were revoked or lost before.
     */
    boolean endAll(Collection<Peer> homes) {
        boolean all = true;
        for (Peer home : homes) {
            all &= hasEnded(home);
        }
        return all && ending.isEmpty();
    }

    private static boolean hasEnded(Peer home) {
        home.imports.values().removeIf(one -> {
            one.markRevoked();
            return one.tryFence();
        });
        return home.imports.isEmpty();
    }
}
