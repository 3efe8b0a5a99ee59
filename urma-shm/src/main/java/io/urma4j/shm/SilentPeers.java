package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;
import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendOrder;

/** Ends the work requests of a send queue whose peer is gone, or silent (S12.3). Guarded by the queue's lock. */
final class SilentPeers {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    private final SendOrder<Wqe, PeerLanes> order;
    private final OrderWindow<Wqe, PeerLanes> window;
    private final Flows flows;
    private final boolean isDatagram;
    private final long timeoutNanos;
    private final DropCounts drops = new DropCounts();

    SilentPeers(SendOrder<Wqe, PeerLanes> order, Flows flows, boolean isDatagram, long timeoutNanos) {
        this.order = order;
        this.window = order.window();
        this.flows = flows;
        this.isDatagram = isDatagram;
        this.timeoutNanos = timeoutNanos;
    }

    /** The peer is gone: the oldest work request to it fails. False for a peer to which nothing was posted. */
    boolean peerLost(Peer peer) {
        PeerLanes lost = flows.known(peer);
        if (lost == null) {
            return false;
        }
        if (isDatagram) {
            for (long next = oldestTo(lost); next >= 0; next = oldestTo(lost)) {
                drop(window.at(next), Drop.PEER_GONE);
            }
        } else {
            order.failures().peerLost(lost);
        }
        return true;
    }

    private long oldestTo(PeerLanes peer) {
        return order.failures().oldestTo(peer);
    }

    /**
     * Fails the oldest work request to a peer that has answered nothing for too long; false if there is none.
     *
     * @param pausedNanos how long this process was stalled before: no silence of the peer
     */
    boolean expire(long nowNanos, long pausedNanos) {
        boolean isReady = order.life().state() == QueueState.READY;
        if (!isReady && !order.life().isSuspending()) {
            return false;
        }
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (isOwedAnAnswer(entry, isReady) && isTooOld(entry, nowNanos, pausedNanos)) {
                if (window.isBehindEvent(position)) {
                    entry.sinceNanos = nowNanos; // its peer has nothing to answer yet
                    continue;
                }
                giveUp(position, entry);
                return true;
            }
        }
        return false;
    }

    /** Not what waits for a receive work request, which may take any time. */
    private static boolean isOwedAnAnswer(Wqe entry, boolean isReady) {
        boolean isHeld = !isReady || entry.flow == null || entry.flow.probing;
        return entry.isOpen() && (entry.slotsInFlight > 0 || !isHeld);
    }

    private boolean isTooOld(Wqe entry, long nowNanos, long pausedNanos) {
        TargetUse to = entry.to;
        if (to == null) {
            return false; // its peer has nothing to answer
        }
        PeerLanes peer = to.lane.peer;
        if (!peer.isLookedAt(nowNanos)) { // once for all work requests
            SendPath path = to.target.path;
            peer.look(path.answered(), path.awaitsAnswer(), nowNanos, pausedNanos);
        }
        if (entry.sinceNanos == 0) {
            entry.sinceNanos = nowNanos; // first seen; posts do not ask for the time
            return false;
        }
        entry.sinceNanos = Math.max(peer.heardNanos(), Math.min(nowNanos, entry.sinceNanos + pausedNanos));
        return nowNanos - entry.sinceNanos > timeoutNanos;
    }

    private void giveUp(long position, Wqe entry) {
        if (isDatagram) {
            drop(entry, Drop.PEER_SILENT);
        } else {
            order.failures().giveUp(position);
        }
    }

    /** The datagram was handed to the network, which lost it: a success (S8.1). */
    void drop(Wqe entry, Drop reason) {
        drops.count(reason);
        window.end(entry, SUCCESS);
    }

    /** The datagrams that were lost on this side. */
    DropCounts drops() {
        return drops;
    }
}
