package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.RuntimeDirectory.ContextLock;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Closes a context in this order: importers release its segments, it releases its imports, goodbye, files, thread. A
 * goodbye guarantees that the context touches no peer's memory any more; so it is not sent while a native call still holds
 * an import.
 */
final class Shutdown {
    private static final System.Logger LOG = System.getLogger(Shutdown.class.getName());

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
                attempt(exports::close);
                told.complete(null);
            }));
            engine.execute(() -> orFinish(() -> takeBack(deadlineNanos)));
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
                .whenComplete((done, failure) -> orFinish(() -> giveBack(deadlineNanos)));
    }

    private void giveBack(long deadlineNanos) {
        if (imports.endAll(peers.living())) {
            peers.sayGoodbye("closed");
            flush(deadlineNanos);
        } else if (deadlineNanos - System.nanoTime() > 0) {
            engine.after(RETRY_NANOS, () -> orFinish(() -> giveBack(deadlineNanos)));
        } else {
            finish(false);
        }
    }

    private void flush(long deadlineNanos) {
        if (peers.hasPending() && deadlineNanos - System.nanoTime() > 0) {
            engine.after(RETRY_NANOS, () -> orFinish(() -> flush(deadlineNanos)));
        } else {
            finish(true);
        }
    }

    /** A step that fails is the last one: the caller waits for the end, which must come all the same (S12.6). */
    private void orFinish(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, () -> engine + " ends: a step of its end failed", e);
            finish(false);
        }
    }

    /**
     * While this context may still touch a peer's memory, its lock stays, so that no peer takes the free lock as proof of
     * its end.
     */
    private void finish(boolean touchNothing) {
        attempt(() -> requests.failAll(new UrmaException(UrmaStatus.EINVAL, engine, "is closed")));
        for (Peer peer : peers.living()) {
            attempt(() -> leave(peer));
        }
        attempt(() -> imports.windows().close());
        attempt(peers::closeAll);
        attempt(() -> directory.sockets().unlink(peers.address()));
        if (touchNothing) {
            attempt(() -> lock.file().remove());
        }
        attempt(directory::close);
        engine.stop();
    }

    private void leave(Peer peer) {
        paths.lost(peer, "we are closed");
        imports.windows().homeLost(peer);
        Bounces.lost(peer);
        PathMemory open = peer.path.open();
        if (open != null) {
            open.close();
        }
    }

    /** What cannot be released, such as a file in a directory that cannot be written, delays nothing else. */
    private void attempt(Runnable release) {
        try {
            release.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, () -> engine + " leaves something behind", e);
        }
    }
}
