package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.ShmImport;
import org.jspecify.annotations.Nullable;

/**
 * What a failed work request does to the others of its queue: it ends them all (S6.6), suspends them (S6.10), or ends
 * those to the same target (S6.12). Guarded by the queue's lock.
 */
final class FailurePolicy {
    private final SendWindow window;
    private final ShmSendQueue queue;
    private final Flows flows;
    private final boolean suspends;
    private final boolean byTarget;
    private final FailedTargets failedTargets = new FailedTargets();
    private long failures;

    FailurePolicy(SendWindow window, ShmSendQueue queue, Flows flows, JfsConfig config) {
        this.window = window;
        this.queue = queue;
        this.flows = flows;
        this.suspends = config.errorSuspend();
        this.byTarget = config.errorScope() == ErrorScope.TARGET;
    }

    long failures() {
        return failures;
    }

    /** Whether the work request is to a target that failed before. */
    boolean concerns(Wqe entry) {
        return byTarget && failedTargets.areNamedBy(entry);
    }

    /** What a one-sided operation that failed within its post ends with. */
    CompletionStatus statusOf(ShmImport remote, CompletionStatus status) {
        return byTarget && failedTargets.contains(remote) ? CompletionStatus.WR_FLUSH_ERR : status;
    }

    /** A work request in the window has failed. */
    void failed(Wqe entry, CompletionStatus status) {
        failures++;
        if (byTarget) {
            failTarget(culprit(entry, status));
        } else if (suspends && mayRecover(status)) {
            suspend(entry, status);
        } else {
            fail(status);
        }
    }

    /** A one-sided operation has failed within its post. */
    void failed(ShmImport remote, CompletionStatus status) {
        if (failedTargets.contains(remote)) {
            return;
        }
        failures++;
        if (byTarget) {
            failTarget(remote);
        } else {
            fail(status);
        }
    }

    // ---- ERROR

    /** Goes to ERROR: what has begun is flushed, what has not waits for {@code flush}. */
    void fail() {
        fail(null);
    }

    private void fail(@Nullable CompletionStatus cause) {
        window.enterError(cause);
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (!entry.isSettled() && entry.hasBegun()) {
                window.end(entry, CompletionStatus.WR_FLUSH_ERR);
            }
        }
        flows.startAnew();
    }

    // ---- SUSPENDED

    /** A peer that does not answer, or is not ready, may do so later. */
    private static boolean mayRecover(CompletionStatus status) {
        return status == CompletionStatus.ACK_TIMEOUT_ERR || status == CompletionStatus.RNR_RETRY_CNT_EXC_ERR;
    }

    private void suspend(Wqe failed, CompletionStatus status) {
        long now = System.nanoTime();
        if (failed.lane != null) {
            failed.lane.startAnew(now);
        }
        if (status == CompletionStatus.ACK_TIMEOUT_ERR && failed.peer != null) {
            giveUp(failed.peer.peer, now);
        }
        if (queue.state() == QueueState.READY) {
            window.enterSuspended();
        }
    }

    /** Nobody knows what the silent peer has done of what lies in its ring. */
    private void giveUp(Peer silent, long nowNanos) {
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (!entry.isSettled() && entry.slotsInFlight > 0 && isTo(silent, entry)) {
                window.end(entry, CompletionStatus.WR_FLUSH_ERR);
            }
        }
        flows.startAnew(silent, nowNanos);
    }

    // ---- one target

    private void failTarget(@Nullable Object target) {
        if (target == null) {
            return;
        }
        failedTargets.add(target);
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (!entry.isSettled() && failedTargets.areNamedBy(entry)) {
                window.end(entry, CompletionStatus.WR_FLUSH_ERR);
            }
        }
        if (target instanceof ShmTarget flow) {
            flows.forget(flow);
        } else if (target instanceof ShmImport imported && !isGone(imported)) {
            queue.divert(); // its memory would still take what is posted
        }
    }

    /** Which of its targets a work request failed at. */
    private static @Nullable Object culprit(Wqe entry, CompletionStatus status) {
        boolean access = status == CompletionStatus.REM_ACCESS_ABORT_ERR;
        if (access && entry.notify != null && isGone(entry.notify)) {
            return entry.notify;
        }
        if (entry.lane == null || (access && entry.remote != null && isGone(entry.remote))) {
            return entry.remote;
        }
        return entry.lane.target;
    }

    private static boolean isGone(ShmImport imported) {
        return imported.isRevoked() || !imported.memory.scope().isAlive();
    }

    // ---- peers

    /** The peer is gone: the oldest work request to it fails, and with it what its failure affects. */
    void peerLost(Peer peer) {
        if (queue.state() != QueueState.READY && queue.state() != QueueState.SUSPENDED) {
            return;
        }
        Wqe oldest = oldestTo(peer);
        while (oldest != null) {
            giveUp(oldest, Drop.PEER_GONE);
            oldest = byTarget || queue.isDatagram() ? oldestTo(peer) : null;
        }
        window.report();
    }

    private void giveUp(Wqe entry, Drop reason) {
        if (queue.isDatagram()) {
            window.drop(entry, reason);
        } else {
            window.finish(entry, CompletionStatus.ACK_TIMEOUT_ERR);
        }
    }

    /** What a suspended queue holds has not begun: it fails when it is started. */
    private @Nullable Wqe oldestTo(Peer peer) {
        boolean holds = queue.state() == QueueState.SUSPENDED;
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (!entry.isSettled() && isTo(peer, entry) && !(holds && entry.slotsInFlight == 0)) {
                return entry;
            }
        }
        return null;
    }

    private static boolean isTo(Peer peer, Wqe entry) {
        return entry.peer != null && entry.peer.peer.equals(peer);
    }

    /**
     * Fails what its peer has left unanswered for too long (S12.3).
     *
     * @param pausedNanos how long we ourselves stood still before: no silence of the peer
     */
    void expire(long nowNanos, long pausedNanos, long timeoutNanos) {
        boolean ready = queue.state() == QueueState.READY;
        if (!ready && !window.isSuspending()) {
            return;
        }
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            boolean holds = !ready || entry.lane == null || entry.lane.probing;
            if (entry.isSettled() || (entry.slotsInFlight == 0 && holds)) {
                continue; // waits for a receive work request, which may take for ever
            }
            if (entry.sentAtNanos == 0) {
                entry.sentAtNanos = nowNanos; // first seen; posts do not ask for the time
                continue;
            }
            entry.sentAtNanos = Math.min(nowNanos, entry.sentAtNanos + pausedNanos);
            if (nowNanos - entry.sentAtNanos > timeoutNanos) {
                giveUp(entry, Drop.PEER_SILENT);
                window.report();
                return;
            }
        }
    }
}
