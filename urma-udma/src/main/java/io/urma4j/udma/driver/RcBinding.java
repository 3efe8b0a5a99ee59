package io.urma4j.udma.driver;

import io.urma4j.OrderType;
import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.support.BindRequests;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.QueueBound;
import io.urma4j.udma.control.PortAddress;
import io.urma4j.udma.engine.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection of an RC Jetty to its only peer (S5.7). Each side binds for itself: {@link #target} is the connected peer.
 * Request and answer carry what both must know, QP numbers and first PSNs; for a foreign peer, its descriptor has them.
 */
final class RcBinding {
    private static final int MAX_24 = 0xFF_FFFF;
    private static final int NOT_CONNECTED = 0;

    private final Adapter adapter;
    private final Peers peers;
    private final Object queue;
    private final int handle;
    private final int number;
    private final OrderType orderType;
    private final int rnrRetry;
    private final BindRequests<Peer> requests;
    private int firstPsn; // these four: guarded by this
    private @Nullable UdmaTarget target;
    private @Nullable PeerId foreign; // the identity of a peer that is no urma4j
    private int connection; // the card's handle; 0 while there is none
    private volatile int attempts; // to bind, and ends of them; changed under the lock
    private boolean closed; // guarded by this

    /**
     * The binding of an unbound Jetty.
     *
     * @param queue for messages
     * @param handle of the card's send queue
     * @param number of its QP
     * @param orderType the effective one
     * @param rnrRetry how often a message is retransmitted to a peer that is not ready
     */
    RcBinding(Adapter adapter, Peers peers, Object queue, int handle, int number, OrderType orderType, int rnrRetry) {
        this.adapter = adapter;
        this.peers = peers;
        this.queue = queue;
        this.handle = handle;
        this.number = number;
        this.orderType = orderType;
        this.rnrRetry = rnrRetry;
        this.firstPsn = newPsn();
        this.requests = new BindRequests<>(orderType.value(), Peer::isLost);
    }

    private int newPsn() {
        return adapter.random().nextInt(MAX_24 + 1);
    }

    /** The first PSN of its requests, once it is bound: a peer must know it. */
    synchronized int firstPsn() {
        return firstPsn;
    }

    synchronized @Nullable UdmaTarget target() {
        return target;
    }

    // ---- binding ourselves

    /** Asks the peer, and connects; the future fails with its answer. Any thread. */
    CompletableFuture<Void> bind(UdmaTarget to, Duration timeout) {
        int attempt;
        synchronized (this) {
            if (closed) {
                throw new UrmaException(UrmaStatus.EINVAL, queue, "is closed");
            }
            target = to;
            attempt = ++attempts;
        }
        Path path = to.path();
        RoceEndpoint byHand = to.byHand();
        CompletableFuture<Void> bound = path != null
                ? bind(to, path, attempt, timeout)
                : byHand != null
                        ? bindByHand(byHand, attempt)
                        : CompletableFuture.failedFuture(new UrmaException(UrmaStatus.EINVAL, to, "is no RC Jetty"));
        return bound.handle((_, failure) -> {
            if (failure != null) {
                throw refused(to, attempt, ControlEngine.causeOf(failure));
            }
            return null;
        });
    }

    private synchronized UrmaException refused(UdmaTarget to, int attempt, Throwable failure) {
        if (attempts == attempt) { // else the target is that of another
            target = null;
        }
        UrmaStatus status = failure instanceof UrmaException refusal ? refusal.status() : UrmaStatus.FAIL;
        return new UrmaException(status, queue, "cannot be bound to " + to + ": " + failure.getMessage(), failure);
    }

    private CompletableFuture<Void> bindByHand(RoceEndpoint peer, int attempt) {
        return adapter.engine().ask(() -> {
            RemotePort port = adapter.reachable(new PortAddress(peer.gid(), RoceEndpoint.UDP_PORT));
            PeerId identity = peers.newForeign(peer.gid());
            var config = CardConnectionConfig.builder(port, peer.qpNumber())
                    .mtuBytes(peer.mtuBytes()) // 0, where it does not say, is any
                    .psns(firstPsn(), peer.firstPsn())
                    .reads(Math.max(peer.readDepth(), 1), LocalContext.FOREIGN_READS) // 0, where it does not say, is 1
                    .urma4j(false)
                    .rnrRetry(rnrRetry)
                    .peer(new PeerInfo(peers.numbers().connect(identity), 0, 0));
            try {
                connect(config.build(), attempt);
                name(identity, attempt);
            } catch (RuntimeException e) {
                peers.disconnectForeign(identity);
                throw e;
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    /** The foreign peer has that identity, unless an unbind has come before, which did not know it. */
    private synchronized void name(PeerId identity, int attempt) {
        if (attempts != attempt) {
            throw ended();
        }
        foreign = identity;
    }

    private UrmaException ended() {
        return new UrmaException(UrmaStatus.FAIL, queue, "was unbound or closed before its peer answered");
    }

    /** The identity of its peer, if that was bound by hand. */
    synchronized @Nullable PeerId foreign() {
        return foreign;
    }

    private CompletableFuture<Void> bind(UdmaTarget to, Path path, int attempt, Duration timeout) {
        long deadlineNanos = adapter.engine().deadline(timeout);
        PeerMessage request = new BindQueue(
                to.number(), number, orderType.value(), firstPsn(), path.peer().mtuBytes());
        return adapter.engine()
                .ask(() -> peers.obtain(path.peer(), _ -> request, deadlineNanos, _ -> giveBack(to, path, attempt))
                        .thenAccept(answer -> bound(to, path, attempt, answer)));
    }

    /** The peer's Jetty is bound to this one for an attempt that has failed: it is free again, unless another is bound to it. */
    private void giveBack(UdmaTarget to, Path path, int attempt) {
        synchronized (this) {
            if (attempts != attempt && target != null && isTarget(target, path.peer(), to.number())) {
                return; // of a later attempt
            }
        }
        peers.giveBack(path, n -> new Unbind(n, to.number(), number));
    }

    private void bound(UdmaTarget to, Path path, int attempt, PeerMessage answer) {
        if (!(answer instanceof QueueBound bound)) {
            throw new UrmaException(UrmaStatus.FAIL, path.peer(), "sent an unexpected answer to the bind request");
        }
        try {
            connect(config(to, path, bound), attempt);
        } catch (RuntimeException e) {
            giveBack(to, path, attempt);
            throw e;
        }
    }

    private CardConnectionConfig config(UdmaTarget to, Path path, QueueBound bound) {
        RemotePort port = adapter.reachable(path.peer());
        return CardConnectionConfig.builder(port, to.number())
                .mtuBytes(Math.min(bound.mtuBytes(), path.peer().mtuBytes()))
                .psns(firstPsn(), bound.firstPsn() & MAX_24)
                .rnrRetry(rnrRetry)
                .remoteId(to.id().id())
                .peer(path.info())
                .build();
    }

    /** Unless the attempt is over: the handle may be that of another queue by now. */
    private void connect(CardConnectionConfig config, int attempt) {
        EventLoop eventLoop = adapter.eventLoop();
        int made = eventLoop.call(
                card -> attempts == attempt ? card.connectRc(handle, config, eventLoop.nanos()) : NOT_CONNECTED);
        synchronized (this) {
            if (attempts == attempt) {
                connection = made;
            }
        }
        if (made == NOT_CONNECTED) {
            throw ended();
        }
    }

    /** Before the queue ends its connection on the card: an answer that comes later connects nothing. Any thread. */
    synchronized void end() {
        attempts++;
        connection = NOT_CONNECTED; // its handle may soon be that of another
    }

    /** The same before the queue is closed: no attempt begins any more. Any thread. */
    synchronized void close() {
        closed = true;
        end();
    }

    /** Ends the connection: {@code disconnect} resets the queue on the card. Any thread. */
    CompletableFuture<Void> unbind(Supplier<CompletableFuture<Void>> disconnect, Duration timeout) {
        end();
        CompletableFuture<Void> drained = disconnect.get();
        return CompletableFuture.allOf(unbound(timeout), drained);
    }

    /** The queue is in RESET: it gets a new first PSN, and the peer is notified. */
    private CompletableFuture<Void> unbound(Duration timeout) {
        UdmaTarget last;
        PeerId gone;
        synchronized (this) {
            last = target;
            gone = foreign;
            target = null;
            foreign = null;
            firstPsn = newPsn();
        }
        if (gone != null) {
            peers.disconnectForeign(gone);
        }
        if (last == null || last.path() == null) {
            return CompletableFuture.completedFuture(null);
        }
        long deadlineNanos = adapter.engine().deadline(timeout);
        Peer peer = last.path().peer();
        return adapter.engine()
                .ask(() -> peers.ask(peer, n -> new Core(new Unbind(n, last.number(), number)), deadlineNanos)
                        .handle((_, _) -> null)); // a peer that is gone is unbound as well
    }

    /** Why a request that came was refused, in words (WIRE §4.4). */
    static String refusal(Refusal why) {
        String reason = switch (why) {
            case INVALID_REQUEST -> "as invalid: longer than its receive buffer, or with another path MTU";
            case REMOTE_ACCESS -> "as an access to memory without permission";
            case OPERATION -> "since this end could not execute it";
        };
        return "its connection accepts no more requests: the peer refused the last one, " + reason;
    }

    // ---- being bound; the engine's thread

    /** A peer has imported the Jetty: it had the token, and the card's end of the connection exists. */
    void imported(Peer peer) {
        requests.imported(peer);
    }

    /** A peer's Jetty requests to bind: returns the properties that it needs, or the reason of a refusal. */
    synchronized PeerMessage requested(Peer peer, long request, BindQueue wanted) {
        UdmaTarget mine = target;
        boolean mayBind = mine == null || isTarget(mine, peer, wanted.partner());
        BindRequests.Answer answer = requests.requested(peer, request, wanted.partner(), wanted.orderType(), mayBind);
        return answer == BindRequests.Answer.BOUND
                ? new QueueBound(firstPsn, peer.mtuBytes())
                : refusal(request, answer.status(), answer.why());
    }

    private PeerMessage refusal(long request, UrmaStatus status, String why) {
        return new Core(new Refused(request, status, "the peer refused to bind its Jetty: " + why));
    }

    private static boolean isTarget(UdmaTarget mine, Peer peer, int qpNumber) {
        Path path = mine.path();
        return path != null && path.peer().equals(peer) && mine.number() == qpNumber;
    }

    void unrequested(Peer peer, long request, int qpNumber) {
        requests.unrequested(peer, request, qpNumber);
    }

    /** The peer is gone: work requests in progress to it end. */
    void peerLost(Peer peer) {
        requests.peerLost(peer);
        int ended;
        int attempt;
        synchronized (this) {
            UdmaTarget mine = target;
            Path path = mine == null ? null : mine.path();
            attempt = attempts;
            ended = path != null && path.peer().equals(peer) ? connection : 0;
        }
        if (ended != 0) {
            adapter.eventLoop().run(card -> {
                if (attempts == attempt) { // else it is ended, too
                    card.peerLost(ended, adapter.nanos());
                }
            });
        }
    }
}
