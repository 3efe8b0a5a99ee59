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
    private final ControlPlane control;
    private final int id;
    private final OrderType orderType;
    private final BindRequests<Peer> requests;
    private volatile @Nullable ShmTarget target;

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

    /** Asks the peer; the future fails with its answer, as a refusal to {@code jetty}. */
    CompletableFuture<Void> bind(ShmTarget remote, Object jetty, Duration timeout) {
        target = remote; // before the peer knows: its first message may come at once
        return control.bind(remote.peer, id, remote.queueId(), orderType.value(), timeout)
                .handle((status, failure) -> {
                    if (failure != null || status != UrmaStatus.SUCCESS) {
                        target = null;
                        throw refused(remote, jetty, status, failure);
                    }
                    return null;
                });
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

    /** Ends the binding here at once, and notifies the peer. */
    CompletableFuture<Void> unbind(Duration timeout) {
        ShmTarget remote = target;
        target = null;
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
        return requests.requested(peer, jettyId, wantedOrder, mayBind).status();
    }

    /** Whether a message of that Jetty may be delivered here (S5.8). */
    boolean admits(Peer peer, int jettyId) {
        ShmTarget mine = target;
        return mine != null && mine.peer.equals(peer) && mine.queueId() == jettyId;
    }
}
