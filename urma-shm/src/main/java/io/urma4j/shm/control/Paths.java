package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.shm.control.PeerPath.Half;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.Timers;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Opens the one path to each peer. Each side makes the ring that it receives from, and the eventfd that wakes it, and
 * hands both over; rings of peers are checked like everything that comes from them. Owned by the engine's thread.
 *
 * <p>When both sides ask at the same time, the attempt of the smaller address goes on, and the other one is dropped by
 * both.
 */
final class Paths {
    private static final int MAX_NUMBER = 0xFFFF;
    private static final long AGAIN_NANOS = 10_000_000;
    private static final long FENCE_PATIENCE_NANOS = 1_000_000_000;

    private final Engine engine;
    private final Requests requests;
    private final DataPlane dataPlane;
    private final PeerId self;
    private final long ringBytes;
    private final long timeoutNanos;
    private final BitSet numbers = new BitSet();

    Paths(Engine engine, Requests requests, DataPlane dataPlane, PeerId self, long ringBytes, long timeoutNanos) {
        this.engine = engine;
        this.requests = requests;
        this.dataPlane = dataPlane;
        this.self = self;
        this.ringBytes = ringBytes;
        this.timeoutNanos = timeoutNanos;
        numbers.set(0); // means no path
    }

    /** Completes when there is a path to the peer, fails with ETIMEOUT when there is none in time. */
    @SuppressWarnings("FutureReturnValueIgnored") // a failure is seen to inside
    CompletableFuture<Void> ensure(Peer peer, long deadlineNanos) {
        if (peer.path.isOpen()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> waiter = new CompletableFuture<>();
        Timers.Timer timeout = engine.at(
                deadlineNanos,
                () -> waiter.completeExceptionally(
                        new UrmaException(UrmaStatus.ETIMEOUT, peer, "did not open a message path in time")));
        waiter.whenComplete((done, failure) -> timeout.cancel());
        peer.path.await(waiter);
        if (peer.path.asked() == null) {
            start(peer);
        }
        return waiter;
    }

    private void start(Peer peer) {
        try {
            Half mine = Half.make(ringBytes, "urma-ring");
            if (peer.id().equals(self)) {
                openToSelf(peer, mine);
            } else {
                ask(peer, mine);
            }
        } catch (RuntimeException e) {
            peer.path.failed(e);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure is seen to inside
    private void ask(Peer peer, Half mine) {
        peer.path.ask(mine);
        requests.ask(
                        peer,
                        System.nanoTime() + timeoutNanos,
                        number -> new OpenPath(number, ringBytes),
                        mine.ring.fd(),
                        mine.wakeMe.fd())
                .whenComplete((reply, failure) -> {
                    if (!peer.path.takeAsked(mine)) {
                        return; // the peer's own attempt went first
                    }
                    if (failure != null) {
                        mine.close();
                        refused(peer, failure);
                    } else {
                        answered(peer, mine, reply);
                    }
                });
    }

    private void refused(Peer peer, Throwable failure) {
        if (failure instanceof UrmaException refusal && refusal.status() == UrmaStatus.EEXIST) {
            // the peer's own attempt goes first, and may come later than this: it takes the other connection
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

    private void answered(Peer peer, Half mine, Requests.Reply reply) {
        try {
            reply.as(PathOpened.class);
            open(peer, mine, reply.takeDescriptor(), reply.takeDescriptor());
        } catch (RuntimeException e) {
            peer.path.failed(e);
        }
    }

    /** The peer wants a path. */
    void requested(Peer from, Connection via, OpenPath request, List<Fd> descriptors) {
        if (from.path.isOpen() || (from.path.asked() != null && isFirst(from))) {
            via.send(new Refused(request.request(), UrmaStatus.EEXIST, "there is a path, or our attempt goes first"));
            return;
        }
        if (request.ringBytes() != ringBytes || descriptors.size() != 2) {
            via.send(new Refused(
                    request.request(),
                    UrmaStatus.EINVAL,
                    "a ring must have " + ringBytes + " bytes, this one has " + request.ringBytes()));
            return;
        }
        from.path.dropAsked();
        try {
            Half mine = Half.make(ringBytes, "urma-ring");
            open(from, mine, descriptors.removeFirst(), descriptors.removeFirst());
            via.send(new PathOpened(request.request()), mine.ring.fd(), mine.wakeMe.fd());
        } catch (RuntimeException e) {
            from.path.failed(e);
            via.send(new Refused(request.request(), UrmaStatus.ENOMEM, "no path: " + e.getMessage()));
        }
    }

    private boolean isFirst(Peer other) {
        return self.address().compareTo(other.id().address()) < 0;
    }

    /** Takes over both halves; on failure nothing of them is left. */
    private void open(Peer peer, Half mine, Fd ring, Fd wake) {
        ImportedMapping theirs = null;
        try (ring) {
            EventFd wakePeer = EventFd.adopt(wake);
            theirs = ImportedMapping.map(ring, 0, ringBytes, true);
            opened(peer, mine, theirs, wakePeer);
        } catch (RuntimeException e) {
            mine.close();
            wake.close();
            if (theirs != null) {
                theirs.revoke(System.nanoTime() + FENCE_PATIENCE_NANOS);
            }
            throw e instanceof IllegalArgumentException
                    ? new UrmaException(UrmaStatus.ENOPERM, peer, "sent no eventfd: " + e.getMessage(), e)
                    : e;
        }
    }

    private void opened(Peer peer, Half mine, ImportedMapping outbound, EventFd wakePeer) {
        Runnable closer = () -> {
            outbound.revoke(System.nanoTime() + FENCE_PATIENCE_NANOS);
            wakePeer.close();
            mine.close();
        };
        tell(
                peer,
                mine,
                new PathMemory(
                        takeNumber(), mine.ring.segment(), outbound.segment(), mine.wakeMe, wakePeer, once(closer)));
    }

    private void openToSelf(Peer peer, Half mine) {
        MemorySegment ring = mine.ring.segment();
        try {
            tell(peer, mine, new PathMemory(takeNumber(), ring, ring, mine.wakeMe, mine.wakeMe, once(mine::close)));
        } catch (RuntimeException e) {
            mine.close();
            throw e;
        }
    }

    private void tell(Peer peer, Half mine, PathMemory path) {
        // edges, so that nobody has to read it: the peer could let us block in that
        Engine.Watch watch = engine.watch(mine.wakeMe.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, events -> {});
        try {
            dataPlane.pathOpened(peer, path);
        } catch (RuntimeException e) {
            watch.end();
            throw e;
        }
        peer.path.watch = watch;
        peer.path.opened(path);
    }

    private static Runnable once(Runnable closer) {
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                closer.run();
            }
        };
    }

    private int takeNumber() {
        int number = numbers.nextClearBit(1);
        if (number > MAX_NUMBER) {
            throw new UrmaException(UrmaStatus.ENOMEM, "path", "all numbers up to " + MAX_NUMBER + " are taken");
        }
        numbers.set(number);
        return number;
    }

    /** The peer is gone. Its rings stay mapped until the data plane lets go of them. */
    void lost(Peer peer, String why) {
        if (peer.path.watch != null) {
            peer.path.watch.end();
            peer.path.watch = null;
        }
        peer.path.dropAsked();
        peer.path.failed(Requests.gone(peer, why));
        PathMemory open = peer.path.open();
        if (open != null) {
            numbers.clear(open.number());
        }
    }
}
