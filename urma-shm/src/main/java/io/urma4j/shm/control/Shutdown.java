package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.RuntimeDirectory.ContextLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Closes a context in this order: importers release its segments, it releases its imports, goodbye, files, thread. A
 * goodbye guarantees that the context touches no peer's memory any more; so it is not sent while a native call still holds
 * an import.
 */
final class Shutdown {
    private static final long RETRY_NANOS = 1_000_000;

    private final Engine engine;
    private final Requests requests;
    private final Exports exports;
    private final Imports imports;
    private final Paths paths;
    private final Peers peers;
    private final RuntimeDirectory directory;
    private final ContextLock lock;
    private final Serving serving;
    private final CompletableFuture<Void> ended;
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private final AtomicBoolean begun = new AtomicBoolean();

    /**
     * Closes these parts.
     *
     * @param ended completed by the engine's thread as its last step
     */
    Shutdown(
            Engine engine,
            Requests requests,
            Exports exports,
            Imports imports,
            Paths paths,
            Peers peers,
            RuntimeDirectory directory,
            ContextLock lock,
            Serving serving,
            CompletableFuture<Void> ended) {
        this.engine = engine;
        this.requests = requests;
        this.exports = exports;
        this.imports = imports;
        this.paths = paths;
        this.peers = peers;
        this.directory = directory;
        this.lock = lock;
        this.serving = serving;
        this.ended = ended;
    }

    /** Starts once; the future completes when nothing is left of the context. */
    @SuppressWarnings("FutureReturnValueIgnored") // a failure is seen to inside
    CompletableFuture<Void> begin(long deadlineNanos) {
        if (begun.compareAndSet(false, true)) {
            ended.thenRun(() -> Thread.startVirtualThread(() -> {
                exports.close();
                told.complete(null);
            }));
            engine.execute(() -> takeBack(deadlineNanos));
        }
        return told;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure is seen to inside
    private void takeBack(long deadlineNanos) {
        engine.closeToCallers();
        serving.close();
        Stream<CompletableFuture<?>> revoked =
                exports.segments().all().stream().map(segment -> exports.revoke(segment, deadlineNanos));
        CompletableFuture.allOf(revoked.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> giveBack(deadlineNanos));
    }

    private void giveBack(long deadlineNanos) {
        boolean all = true;
        for (Peer peer : peers.living()) {
            all &= imports.endAll(peer);
        }
        if (all) {
            peers.sayGoodbye("closed");
            flush(deadlineNanos);
        } else if (deadlineNanos - System.nanoTime() > 0) {
            engine.after(RETRY_NANOS, () -> giveBack(deadlineNanos));
        } else {
            finish(false);
        }
    }

    private void flush(long deadlineNanos) {
        if (peers.hasPending() && deadlineNanos - System.nanoTime() > 0) {
            engine.after(RETRY_NANOS, () -> flush(deadlineNanos));
        } else {
            finish(true);
        }
    }

    /**
     * While this context may still touch a peer's memory, its lock stays, so that no peer takes the free lock as proof of
     * its end.
     */
    private void finish(boolean touchNothing) {
        requests.failAll(new UrmaException(UrmaStatus.EINVAL, engine, "is closed"));
        for (Peer peer : peers.living()) {
            paths.lost(peer, "we are closed");
            imports.windows().homeLost(peer);
            Bounces.lost(peer);
            PathMemory open = peer.path.open();
            if (open != null) {
                open.close();
            }
        }
        imports.windows().close();
        peers.closeAll();
        directory.sockets().unlink(peers.address());
        if (touchNothing) {
            lock.file().remove();
        }
        directory.close();
        engine.stop();
    }
}
