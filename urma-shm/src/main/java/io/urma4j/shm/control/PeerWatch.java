package io.urma4j.shm.control;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.WatchedLock;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out of each peer what its own words do not prove: its identity, by the lock of its UASID, and later its end, by its
 * process, or by the lock where the kernel does not tell of the process. Owned by the engine's thread.
 */
final class PeerWatch {
    /** Until a process that could open no descriptor tries again. */
    private static final long RETRY_NANOS = 100_000_000;

    private final Engine engine;
    private final RuntimeDirectory directory;
    private final Consumer<Peer> onIdentified;
    private final Consumer<Peer> onExit;
    private final int ownPid = Math.toIntExact(ProcessHandle.current().pid());

    /**
     * @param onIdentified called when the lock of a peer's UASID has named it: it is what it claims to be
     * @param onExit called when the process of a peer has ended
     */
    PeerWatch(Engine engine, RuntimeDirectory directory, Consumer<Peer> onIdentified, Consumer<Peer> onExit) {
        this.engine = engine;
        this.directory = directory;
        this.onIdentified = onIdentified;
        this.onExit = onExit;
    }

    /** A look at a peer that needs a descriptor. */
    @FunctionalInterface
    private interface Look {
        void look() throws IOException;
    }

    /** A peer has greeted by that connection. */
    void begin(Peer peer, Connection by) {
        untilDone(peer, () -> identify(peer));
        if (peer.pid() != ownPid) {
            untilDone(peer, () -> watch(peer, by));
        }
    }

    /** Without free descriptors nothing is known of a peer, and nothing is believed. */
    private void untilDone(Peer peer, Look look) {
        if (peer.isLost()) {
            return;
        }
        try {
            look.look();
        } catch (IOException | LibcException e) {
            engine.after(RETRY_NANOS, () -> untilDone(peer, look));
        }
    }

    private void identify(Peer peer) throws IOException {
        if (directory.names(peer.uasid(), peer.id())) {
            onIdentified.accept(peer);
        }
    }

    private void watch(Peer peer, Connection by) throws IOException {
        Optional<PidFd> process = by.pidFd();
        if (process.isPresent()) {
            watch(peer, process.get());
        } else if (by.isProcessGone()) {
            peer.hasEnded = true; // before it was watched; its lock may be another context's by now
        } else {
            peer.lock = directory.watchLock(peer.uasid(), peer.id()).orElse(null);
        }
    }

    private void watch(Peer peer, PidFd process) {
        try {
            peer.processWatch = engine.watch(process.fd(), Epoll.IN, ready -> onExit.accept(peer));
            peer.process = process;
        } catch (LibcException e) {
            process.close();
            throw e;
        }
    }

    /** Whether a lost peer whose process is not watched has certainly ended. */
    boolean isGone(Peer peer) {
        if (peer.hasEnded) {
            return true;
        }
        if (peer.pid() == ownPid) {
            return directory.isGone(peer.uasid(), peer.id().address());
        }
        if (peer.lock == null) {
            peer.lock = lockOf(peer);
        }
        WatchedLock lock = peer.lock;
        return lock != null && lock.isReleased();
    }

    /** Null also where the file is missing, or that of another context: any process of the user may have seen to that. */
    private @Nullable WatchedLock lockOf(Peer peer) {
        try {
            return directory.watchLock(peer.uasid(), peer.id()).orElse(null);
        } catch (IOException e) {
            return null; // this process cannot open it, which proves nothing
        }
    }
}
