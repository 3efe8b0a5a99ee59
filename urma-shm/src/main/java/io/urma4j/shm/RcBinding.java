package io.urma4j.shm;

import io.urma4j.OrderType;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.ControlPlane;
import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.BindRequests;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connection of an RC Jetty to its only peer (S5.7). Each side binds for itself: {@link #target} is the peer that this
 * Jetty sends to and receives from.
 */
final class RcBinding {
    /** In place of the number of a request: those of a peer arrive in the order in which it makes them. */
    static final int IN_ORDER = 0;

    private final ControlPlane control;
    private final int id;
    private final OrderType orderType;
    private final BindRequests<Peer> requests;
    private volatile @Nullable ShmTarget target;
    private volatile int attempts; // to bind, and ends of them; written under the monitor

    /** The binding of an unbound Jetty with that id and effective order type. */
    RcBinding(ControlPlane control, int id, OrderType orderType) {
        this.control = control;
        this.id = id;
        this.orderType = orderType;
        this.requests = new BindRequests<>(orderType.value(), Peer::isLost);
    }

    @Nullable
    ShmTarget target() {
        return target;
    }

    /** An attempt begins, whose number this returns. */
    synchronized int begin(ShmTarget remote) {
        target = remote;
        return ++attempts;
    }

    /**
     * Asks the peer; the future fails with its answer, as a refusal to {@code jetty}. After a success the attempt may be over.
     */
    CompletableFuture<Void> bind(int attempt, ShmTarget remote, Object jetty, Duration timeout) {
        return control.bind(remote.peer, id, remote.queueId(), orderType.value(), timeout)
                .handle((status, failure) -> {
                    if (failure == null && status == UrmaStatus.SUCCESS) {
                        return null;
                    }
                    if (endIf(attempt) && failure != null) { // the peer may bind later, or has bound (S5.7)
                        var _ = unbind(remote, timeout);
                    }
                    throw refused(remote, jetty, status, failure);
                });
    }

    /** False if the attempt had ended: then the target is that of a later one. */
    private synchronized boolean endIf(int attempt) {
        if (attempts != attempt) {
            return false;
        }
        target = null;
        return true;
    }

    /** The number of the connection, which no later one has. Any thread. */
    int connection() {
        return attempts;
    }

    /** Whether no other attempt has begun since, and none was ended. */
    synchronized boolean isLatest(int attempt) {
        return attempts == attempt;
    }

    /** An answer to a request to bind that comes later binds nothing. Returns what it was bound to, or was to be. */
    synchronized @Nullable ShmTarget end() {
        attempts++;
        ShmTarget last = target;
        target = null;
        return last;
    }

    private static UrmaException refused(
            ShmTarget remote, Object jetty, @Nullable UrmaStatus status, @Nullable Throwable failure) {
        String reason = failure == null ? "the peer refused" : String.valueOf(failure.getMessage());
        return new UrmaException(
                status == null ? UrmaStatus.ETIMEOUT : status,
                jetty,
                "cannot be bound to " + remote + ": " + reason,
                failure);
    }

    /** Notifies the peer of the end. */
    CompletableFuture<Void> unbind(@Nullable ShmTarget remote, Duration timeout) {
        return remote == null
                ? CompletableFuture.completedFuture(null)
                : control.unbind(remote.peer, id, remote.queueId(), timeout)
                        .handle((status, failure) -> null); // a peer that is gone is unbound as well
    }

    BindRequests<Peer> requests() {
        return requests;
    }

    /** A peer's Jetty requests to bind; returns whether it may. */
    UrmaStatus requested(Peer peer, int jettyId, int wantedOrder) {
        boolean mayBind = target == null || admits(peer, jettyId);
        return requests.requested(peer, IN_ORDER, jettyId, wantedOrder, mayBind).status();
    }

    /** Whether a message of that Jetty may be delivered here (S5.8). */
    boolean admits(Peer peer, int jettyId) {
        ShmTarget mine = target;
        return mine != null && mine.peer.equals(peer) && mine.queueId() == jettyId;
    }
}
