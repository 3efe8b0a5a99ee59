package io.urma4j.shm.control;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.libc.FileStatus;
import io.urma4j.libc.MemFd;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.support.PathNumbers;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Opens one path to each peer. Each side creates the ring that it receives from, and passes it to the peer; a peer's ring
 * is checked like all its input. Each side wakes the other through the connection on which the path was requested. It uses
 * its own end of the socket, so that the peer cannot block it. Owned by the engine's thread.
 *
 * <p>If both sides request a path at the same time, the attempt of the smaller address continues, and both drop the other
 * one.
 */
final class Paths {
    private static final long AGAIN_NANOS = 10_000_000;
    private static final long DESCRIPTOR_NANOS = 100_000_000;

    private final Engine engine;
    private final Requests requests;
    private final DataPlane dataPlane;
    private final PeerId self;
    private final long ringBytes;
    private final PathNumbers numbers = new PathNumbers();

    Paths(Engine engine, Requests requests, DataPlane dataPlane, PeerId self, long ringBytes) {
        this.engine = engine;
        this.requests = requests;
        this.dataPlane = dataPlane;
        this.self = self;
        this.ringBytes = ringBytes;
    }

    /** Completes when the path to the peer is open; fails with ETIMEOUT at the timeout. */
    CompletableFuture<PathMemory> ensure(Peer peer, long deadlineNanos) {
        PathMemory open = peer.path.open();
        if (open != null) {
            return CompletableFuture.completedFuture(open);
        }
        CompletableFuture<PathMemory> path =
                requests.until(deadlineNanos, peer.path.opening(), peer, "open a message path");
        if (peer.path.asked() == null) {
            start(peer);
        }
        return path;
    }

    private void start(Peer peer) {
        try {
            ShmMemory mine = newRing();
            if (peer.id().equals(self)) {
                openToSelf(peer, mine);
            } else {
                ask(peer, mine, false);
            }
        } catch (RuntimeException e) {
            peer.path.failed(e);
        }
    }

    /** @param isAgain whether the peer has its end of the path, with this ring */
    @SuppressWarnings("FutureReturnValueIgnored") // a failure is seen to inside
    private void ask(Peer peer, ShmMemory mine, boolean isAgain) {
        peer.path.ask(mine);
        requests.askForAll(peer, number -> new OpenPath(number, ringBytes), mine.fd())
                .whenComplete((reply, failure) -> {
                    if (!peer.path.isAsked(mine)) {
                        return; // the peer's own attempt went first
                    }
                    UrmaException loss = reply == null ? ofDescriptors(failure, isAgain) : reply.loss();
                    if (loss != null) {
                        peerOpened(peer, mine, loss);
                        return;
                    }
                    peer.path.takeAsked();
                    if (failure != null) {
                        mine.close();
                        refused(peer, failure);
                    } else {
                        answered(peer, mine, reply);
                    }
                });
    }

    private static @Nullable UrmaException ofDescriptors(Throwable failure, boolean isAgain) {
        return isAgain && failure instanceof UrmaException e && e.status() == UrmaStatus.ENOMEM ? e : null;
    }

    /**
     * The peer has its end of the path, and this process no descriptor left for the ring that came. The peer gives it again
     * for the same ring of ours. Messages of the peer wait there meanwhile.
     */
    private void peerOpened(Peer peer, ShmMemory mine, UrmaException loss) {
        engine.after(DESCRIPTOR_NANOS, () -> {
            if (peer.path.isAsked(mine)) {
                ask(peer, mine, true);
            }
        });
        peer.path.failed(loss);
    }

    private void refused(Peer peer, Throwable failure) {
        if (failure instanceof UrmaException refusal && refusal.status() == UrmaStatus.EEXIST) {
            // the peer's own attempt takes precedence, and may arrive later than this: it uses the other connection
            engine.after(AGAIN_NANOS, () -> askAgain(peer));
        } else {
            peer.path.failed(failure);
        }
    }

    private void askAgain(Peer peer) {
        if (!peer.isLost() && !peer.path.isOpen() && peer.path.asked() == null && peer.path.isAwaited()) {
            start(peer);
        }
    }

    private void answered(Peer peer, ShmMemory mine, Requests.Reply reply) {
        try {
            open(peer, peer.outgoing, mine, ringIn(reply, mine));
            peer.path.opened();
        } catch (RuntimeException e) {
            peer.path.failed(e);
        }
    }

    private static Fd ringIn(Requests.Reply reply, ShmMemory mine) {
        try {
            reply.as(PathOpened.class);
            return reply.takeDescriptor();
        } catch (UrmaException e) {
            mine.close();
            throw e;
        }
    }

    /** The peer requests a path. */
    void requested(Peer from, Connection via, OpenPath request, List<Fd> descriptors) {
        if (from.path.isOpen() && isGivenAgain(from, via, request, descriptors)) {
            return;
        }
        if (from.path.isOpen() || (from.path.asked() != null && isFirst(from))) {
            via.refuse(request, UrmaStatus.EEXIST, "a path exists, or our own attempt takes precedence");
            return;
        }
        if (!from.importsFromUs()) {
            via.refuse(request, UrmaStatus.ENOPERM, "a message path needs an import from this context");
            return;
        }
        if (request.ringBytes() != ringBytes || descriptors.size() != 1) {
            via.refuse(
                    request,
                    UrmaStatus.EINVAL,
                    "a path needs one ring of " + ringBytes + " bytes, not of " + request.ringBytes() + " with "
                            + descriptors.size() + " descriptors");
            return;
        }
        from.path.dropAsked();
        try {
            FileStatus theirs = statusOf(descriptors.getFirst());
            ShmMemory mine = newRing();
            open(from, via, mine, descriptors.removeFirst());
            answer(from, via, request, mine);
            from.path.gives(mine, theirs);
        } catch (RuntimeException e) {
            from.path.failed(e);
            via.refuse(request, UrmaStatus.ENOMEM, "no path: " + e.getMessage());
        }
    }

    /** Answers a peer that asks once more with the ring of its path: it could not take ours. */
    private static boolean isGivenAgain(Peer to, Connection via, OpenPath request, List<Fd> descriptors) {
        try {
            ShmMemory mine = descriptors.size() == 1 ? to.path.given(statusOf(descriptors.getFirst())) : null;
            if (mine == null) {
                return false;
            }
            via.send(new PathOpened(request.request()), mine.fd());
        } catch (RuntimeException e) {
            via.refuse(request, UrmaStatus.ENOMEM, "no ring: " + e.getMessage());
        }
        return true;
    }

    /** Which file it is. Only a memfd has seals, and its status cannot block this thread, as that of any file could. */
    private static FileStatus statusOf(Fd ring) {
        MemFd.seals(ring);
        return FileStatus.of(ring);
    }

    /** Without an answer the peer would ask again, and be refused for ever. */
    private void answer(Peer to, Connection via, OpenPath request, ShmMemory mine) {
        try {
            via.send(new PathOpened(request.request()), mine.fd());
        } catch (RuntimeException e) {
            giveBack(to);
            to.path.undo();
            dataPlane.pathUndone(to);
            throw e;
        }
        to.path.opened();
    }

    private boolean isFirst(Peer other) {
        return self.address().compareTo(other.id().address()) < 0;
    }

    private ShmMemory newRing() {
        return ShmMemory.allocate(ringBytes, AllocOptions.DEFAULT, "urma-ring");
    }

    /** Takes ownership of both rings; releases them on failure. */
    private void open(Peer peer, @Nullable Connection via, ShmMemory mine, Fd ring) {
        ImportedMapping theirs = null;
        try (ring) {
            if (via == null) {
                throw Requests.gone(peer, "its connection ended");
            }
            ImportedMapping outbound = ImportedMapping.mapWhole(ring, ringBytes, true);
            theirs = outbound;
            Runnable closer = () -> {
                outbound.revoke();
                mine.close();
            };
            tell(peer, new PathMemory(numbers.take(), mine.segment(), outbound.segment(), via::wakePeer, once(closer)));
        } catch (RuntimeException e) {
            mine.close();
            if (theirs != null) {
                theirs.revoke();
            }
            throw e;
        }
    }

    private void openToSelf(Peer peer, ShmMemory mine) {
        MemorySegment ring = mine.segment();
        try {
            tell(peer, new PathMemory(numbers.take(), ring, ring, engine::wake, once(mine::close)));
            peer.path.opened();
        } catch (RuntimeException e) {
            mine.close();
            throw e;
        }
    }

    private void tell(Peer peer, PathMemory path) {
        dataPlane.pathOpened(peer, path);
        peer.path.opens(path);
    }

    private static Runnable once(Runnable closer) {
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                closer.run();
            }
        };
    }

    /** The peer is gone. Its rings stay mapped until the data plane releases them. */
    void lost(Peer peer, String why) {
        peer.path.dropAsked();
        peer.path.failed(Requests.gone(peer, why));
        giveBack(peer);
    }

    private void giveBack(Peer peer) {
        PathMemory open = peer.path.open();
        if (open != null) {
            numbers.give(open.number());
        }
    }
}
