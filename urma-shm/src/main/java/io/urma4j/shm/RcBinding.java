package io.urma4j.shm;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.Peer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connection of an RC Jetty to its only peer (S5.7). Each side binds for itself: {@link #target} is the peer that this
 * Jetty sends to and receives from; {@code suitor} is the peer that has bound itself to this Jetty, whether or not this one
 * has done the same.
 */
final class RcBinding {
    private final ShmContext context;
    private final ShmSendQueue queue;
    private volatile @Nullable ShmTarget target;
    private final Set<Peer> importers = new HashSet<>(); // these two: guarded by this
    private @Nullable Suitor suitor;

    private record Suitor(Peer peer, int jettyId) {}

    RcBinding(ShmContext context, ShmSendQueue queue) {
        this.context = context;
        this.queue = queue;
    }

    @Nullable
    ShmTarget target() {
        return target;
    }

    /** Asks the peer; the future fails with its answer. */
    CompletableFuture<Void> bind(ShmTarget whom, Duration timeout) {
        target = whom; // before the peer knows: its first message may come at once
        return context.bind(whom, queue, timeout).handle((status, failure) -> {
            if (failure != null || status != UrmaStatus.SUCCESS) {
                target = null;
                throw refused(whom, status, failure);
            }
            return null;
        });
    }

    private UrmaException refused(ShmTarget whom, @Nullable UrmaStatus status, @Nullable Throwable failure) {
        String reason = failure == null ? "the peer refused" : String.valueOf(failure.getMessage());
        return new UrmaException(
                status == null ? UrmaStatus.ETIMEOUT : status,
                queue,
                "cannot be bound to " + whom + ": " + reason,
                failure);
    }

    /** Ends the binding here at once, and notifies the peer. */
    CompletableFuture<Void> unbind(Duration timeout) {
        ShmTarget whom = target;
        target = null;
        return whom == null ? CompletableFuture.completedFuture(null) : context.unbind(whom, queue, timeout);
    }

    /** A peer has imported the Jetty: it had the token. */
    synchronized void imported(Peer peer) {
        importers.removeIf(Peer::isLost); // the loss of one that held nothing else is not reported
        importers.add(peer);
    }

    /** A peer's Jetty requests to bind; returns whether it may. */
    synchronized UrmaStatus requested(Peer peer, int jettyId) {
        if (!importers.contains(peer)) {
            return UrmaStatus.ENOPERM; // else any peer that knows the number could take the only place
        }
        ShmTarget mine = target;
        if (suitor != null && suitor.peer().isLost()) {
            suitor = null;
        }
        Suitor now = new Suitor(peer, jettyId);
        if ((mine != null && !isTarget(mine, peer, jettyId)) || (suitor != null && !suitor.equals(now))) {
            return UrmaStatus.EINVAL;
        }
        suitor = now;
        return UrmaStatus.SUCCESS;
    }

    synchronized void unrequested(Peer peer, int jettyId) {
        if (new Suitor(peer, jettyId).equals(suitor)) {
            suitor = null;
        }
    }

    synchronized void peerLost(Peer peer) {
        importers.remove(peer);
        if (suitor != null && suitor.peer().equals(peer)) {
            suitor = null;
        }
    }

    /** Whether a message of that Jetty may be delivered here (S5.8). */
    boolean admits(Peer peer, int jettyId) {
        ShmTarget mine = target;
        return mine != null && isTarget(mine, peer, jettyId);
    }

    private static boolean isTarget(ShmTarget mine, Peer peer, int jettyId) {
        return mine.peer.equals(peer) && mine.queueId() == jettyId;
    }
}
