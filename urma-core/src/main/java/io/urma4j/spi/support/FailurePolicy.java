package io.urma4j.spi.support;

import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;

/**
 * What a failed work request does to the others of its queue: it ends them all (S6.6), suspends them (S6.10), or ends
 * those to the same target (S6.12).
 *
 * @param <E> the provider's entries
 * @param <P> the provider's peers
 */
public final class FailurePolicy<E extends SendEntry<?, P>, P extends SendPeer> {
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();
    private static final int ACK_TIMEOUT_ERR = CompletionStatus.ACK_TIMEOUT_ERR.value();
    private static final int RNR_RETRY_CNT_EXC_ERR = CompletionStatus.RNR_RETRY_CNT_EXC_ERR.value();
    private static final int WR_FLUSH_ERR = CompletionStatus.WR_FLUSH_ERR.value();

    private static final long NONE = -1;

    private final OrderWindow<E, P> window;
    private final SendLife life;
    private final SendActions<E, P> actions;
    private final SendRules rules;
    private long failures;

    FailurePolicy(OrderWindow<E, P> window, SendLife life, SendActions<E, P> actions, SendRules rules) {
        this.window = window;
        this.life = life;
        this.actions = actions;
        this.rules = rules;
    }

    /** How many work requests have failed. */
    public long failures() {
        return failures;
    }

    /** Whether failures are a target's own. */
    public boolean isByTarget() {
        return rules.failsByTarget();
    }

    /** Whether the work request is to a target that failed before. */
    boolean concerns(E entry) {
        return rules.failsByTarget() && actions.isToFailed(entry);
    }

    /** Fails what has failed later: its consequences for the others come now. */
    void settle() {
        for (long position = window.head(); window.hasFailed() && position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.stage == SendEntry.Stage.FAILED) {
                window.settle(entry);
                failed(entry, entry.status);
            }
        }
    }

    /** The work request has its status, which is a failure. */
    void failed(E entry, int status) {
        if (rules.failsByTarget()) {
            actions.blame(entry, status);
            failTarget();
        } else if (rules.suspends() && mayRecover(status)) {
            failures++;
            suspend(entry, status);
        } else {
            failQueue(status);
        }
    }

    // ---- ERROR

    /** A work request has failed with that status, and takes the queue to ERROR. */
    public void failQueue(int cause) {
        failures++;
        fail(cause);
    }

    /** Goes to ERROR: what has begun is flushed, what has not waits for {@code flush}. */
    public void fail() {
        fail(SUCCESS);
    }

    private void fail(int cause) {
        life.enterError(cause);
        flushBegun();
    }

    /** What has begun is flushed, in whichever state the queue is. */
    public void flushBegun() {
        long youngest = youngestInFlight();
        for (long position = window.head(); position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.isOpen() && entry.hasBegun(position < youngest)) {
                window.end(entry, WR_FLUSH_ERR);
            }
        }
        actions.abandonAll(); // after they have ended: what connections say now is ignored
    }

    private long youngestInFlight() {
        long position = window.end() - 1;
        while (position >= window.head() && !window.at(position).isInFlight()) {
            position--;
        }
        return position;
    }

    // ---- SUSPENDED

    /** A peer that does not answer, or is not ready, may do so later. */
    private static boolean mayRecover(int status) {
        return status == ACK_TIMEOUT_ERR || status == RNR_RETRY_CNT_EXC_ERR;
    }

    private void suspend(E failed, int status) {
        SendFlow flow = failed.flow;
        if (flow != null) {
            flow.startAnew(actions.nanos());
        }
        P peer = failed.peer;
        if (peer != null && status == ACK_TIMEOUT_ERR) {
            flushInFlightTo(peer);
        }
        if (life.state() == QueueState.READY) {
            life.suspend();
        }
    }

    /** It is unknown what the silent peer has done of what was sent to it. */
    private void flushInFlightTo(P silent) {
        for (long position = window.head(); position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.isOpen() && entry.isInFlight() && entry.isTo(silent)) {
                window.end(entry, WR_FLUSH_ERR);
            }
        }
        actions.pause(silent);
    }

    // ---- one target

    /** The target that was blamed serves no more: what waits for it is flushed. */
    public void failTarget() {
        failures++;
        flushToFailed(window.head(), false);
    }

    private void flushToFailed(long first, boolean isAbandoned) {
        for (long position = first; position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.isOpen() && (isAbandoned || entry.mayEndEarly()) && actions.isToFailed(entry)) {
                window.end(entry, WR_FLUSH_ERR);
            }
        }
    }

    // ---- peers

    /** The peer is gone: the oldest work request to it fails, and with it what its failure affects. */
    public void peerLost(P peer) {
        long oldest = oldestTo(peer);
        if (oldest != NONE) {
            peerSilent(oldest, peer);
        }
    }

    /** Fails a work request to a silent peer; and when failures are a target's own, all to that peer. */
    public void peerSilent(long position, P peer) {
        giveUp(position);
        if (rules.failsByTarget()) {
            for (long next = oldestTo(peer); next != NONE; next = oldestTo(peer)) {
                giveUp(next);
            }
            actions.abandon(peer);
        }
    }

    /** Fails a work request to a silent peer, and nothing else to that peer unless its failure affects it. */
    public void giveUp(long position) {
        E entry = window.at(position);
        window.end(entry, ACK_TIMEOUT_ERR);
        failed(entry, ACK_TIMEOUT_ERR);
        if (rules.failsByTarget()) {
            flushToFailed(position + 1, true);
        }
    }

    /** The oldest unfinished work request to a peer that can fail now; −1 for none. */
    public long oldestTo(P peer) {
        boolean isHolding = life.state() == QueueState.SUSPENDED; // what it holds fails when it is started
        if (!isHolding && life.state() != QueueState.READY) {
            return NONE;
        }
        for (long position = window.head(); position < window.end(); position++) {
            E entry = window.at(position);
            if (entry.isOpen() && entry.isTo(peer) && !(isHolding && !entry.isInFlight())) {
                return position;
            }
        }
        return NONE;
    }
}
