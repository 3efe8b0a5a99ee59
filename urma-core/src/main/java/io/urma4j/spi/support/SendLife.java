package io.urma4j.spi.support;

import io.urma4j.QueueState;

/**
 * The state of a send queue, and the marker that it owes: {@code ERROR} and {@code SUSPENDED} say by a record when all that
 * was started is over (S6.6, S6.10).
 */
public final class SendLife {
    /** Which marker follows once everything that was started has ended. */
    enum Drain {
        NONE,
        SUSPENSION,
        ERROR,
        /** As ERROR, but the call itself tells, and no marker does. */
        UNBINDING
    }

    private final SendActions<?, ?> actions;
    private volatile QueueState state; // volatile: any thread may ask for it
    private Drain drain = Drain.NONE;
    private long heldFrom;

    SendLife(SendActions<?, ?> actions, QueueState born) {
        this.actions = actions;
        this.state = born;
    }

    public QueueState state() {
        return state;
    }

    /** Enters a state; work requests stay as they are. */
    public void enter(QueueState next) {
        actions.entering(next);
        state = next;
    }

    /** Enters ERROR, whose marker follows; what has begun is not flushed yet. */
    public void enterError(int cause) {
        if (state != QueueState.ERROR) {
            enter(QueueState.ERROR);
            drain(Drain.ERROR);
            actions.queueFailed(cause);
        }
    }

    /** Nothing starts, and the marker follows when what was started is over. */
    public void suspend() {
        enter(QueueState.SUSPENDED);
        drain(Drain.SUSPENSION);
    }

    /** Whether the marker of ERROR or of the suspension was not made yet. */
    public boolean isDraining() {
        return drain != Drain.NONE;
    }

    /** Whether an unbind drains, and has not ended. */
    public boolean isUnbinding() {
        return drain == Drain.UNBINDING;
    }

    public boolean isSuspending() {
        return drain == Drain.SUSPENSION;
    }

    /**
     * Whether work requests may be taken out: the marker that the state owes was made (S6.7).
     *
     * @param canMark whether the completion queue would accept a marker; else there is none to wait for in ERROR
     */
    public boolean mayFlush(boolean canMark) {
        return switch (state) {
            case READY -> false;
            case SUSPENDED -> !isDraining();
            case RESET, ERROR -> !isDraining() || !canMark;
        };
    }

    /** No marker is owed any more. */
    public void endDrain() {
        drain(Drain.NONE);
    }

    /** Where what the suspension holds begins: everything before has its record. */
    public long heldFrom() {
        return heldFrom;
    }

    Drain drain() {
        return drain;
    }

    void drain(Drain next) {
        drain = next;
        actions.demandChanged();
    }

    /** The suspension is complete. */
    void suspended(long heldFrom) {
        this.heldFrom = heldFrom;
        drain(Drain.NONE);
    }

    @Override
    public String toString() {
        return state + (isDraining() ? ", draining" : "");
    }
}
