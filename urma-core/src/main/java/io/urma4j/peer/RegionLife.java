package io.urma4j.peer;

import java.lang.System.Logger.Level;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of a region, and which thread is changing it: one at a time. Its monitor guards the transition and what {@link
 * PeerRegion} decides by it; the monitor is a leaf, and nothing is called under it. Safe for any thread.
 */
final class RegionLife {
    private static final System.Logger LOG = System.getLogger(RegionLife.class.getName());
    private static final long LOG_AFTER_MILLIS = 1_000;

    private final PeerRegion owner;
    private volatile RegionState state = RegionState.ACQUIRED; // written under this
    private @Nullable Thread transition; // that performs one; guarded by this
    private @Nullable InvalidationReason reason; // of the last invalidation; guarded by this
    private int waits; // of a second each for the transition in progress; guarded by this

    RegionLife(PeerRegion owner) {
        this.owner = owner;
    }

    RegionState state() {
        return state;
    }

    /** Whether a transition is in progress. */
    synchronized boolean isChanging() {
        return transition != null;
    }

    /** Whether this thread performs the transition: a client calls back. */
    synchronized boolean isMine() {
        return Thread.currentThread().equals(transition);
    }

    /** Makes this thread the one that performs a transition; the caller has seen that none is in progress. */
    synchronized void begin() {
        transition = Thread.currentThread();
        waits = 0;
    }

    /** Makes this thread the one that invalidates; pages of a dynamic client may only move. */
    synchronized void beginInvalidation(InvalidationReason why) {
        boolean isMove = why == InvalidationReason.REMAPPED && owner.client.style() == ClientStyle.DYNAMIC;
        move(isMove ? RegionState.MOVING : RegionState.INVALIDATING);
        begin();
        reason = why;
    }

    /** The reason of the last invalidation; null if there was none. */
    synchronized @Nullable InvalidationReason reason() {
        return reason;
    }

    /** Goes on to another state. */
    synchronized void move(RegionState next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(owner + " cannot go from " + state + " to " + next);
        }
        state = next;
        notifyAll();
    }

    /** Ends the transition of this thread in that state, which may be the present one. */
    synchronized void end(RegionState next) {
        if (state != next) {
            move(next);
        }
        transition = null;
        notifyAll();
    }

    /**
     * Waits for the end of another thread's transition. An interrupt does not end the wait, because bytes might still move; it
     * is kept.
     *
     * @return false if the timeout came first
     */
    boolean await(long timeoutNanos) {
        return awaitEnd(() -> transition != null, timeoutNanos);
    }

    /** Like {@link #await}, for the release that follows a stop. */
    boolean awaitReleased(long timeoutNanos) {
        return awaitEnd(() -> state == RegionState.STOPPED, timeoutNanos);
    }

    private synchronized boolean awaitEnd(BooleanSupplier lasts, long timeoutNanos) {
        long began = System.nanoTime();
        boolean interrupted = false;
        long waited = 0;
        while (lasts.getAsBoolean() && waited < timeoutNanos) {
            try {
                wait(LOG_AFTER_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            waited = System.nanoTime() - began;
            if (waited >= LOG_AFTER_MILLIS * 1_000_000 && isWarningDue()) {
                LOG.log(Level.WARNING, "{0} ({1}): still waiting for a call of its client", owner, state);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !lasts.getAsBoolean();
    }

    /** Counts a second of waiting. Returns whether to warn: after 1, 2, 4, 8 … seconds, since a client may hang for ever. */
    synchronized boolean isWarningDue() {
        waits++;
        return Integer.bitCount(waits) == 1;
    }

    @Override
    public synchronized String toString() {
        return reason == null ? state.toString() : state + " [" + reason + "]";
    }
}
