package io.urma4j.spi.support;

import org.jspecify.annotations.Nullable;

/**
 * A place for a work request in a {@link SendOrder}, used again and again. Its fields are plain, as the hot path wants
 * them: the order moves {@link #stage} and {@link #status}, the provider fills the others before it adds the entry.
 *
 * @param <F> the provider's flows
 * @param <P> the provider's peers
 */
public abstract class SendEntry<F extends SendFlow, P extends SendPeer> {
    /** How far a work request is. */
    public enum Stage {
        /** Not begun, or to be begun anew: waits until nothing is in its way. */
        WAITING,
        /** All of it was handed to the peer or its connection; the answer is awaited. */
        STARTED,
        /** A thread of the provider copies for it without the queue's lock, and alone ends that stage. */
        COPYING,
        /** Has failed; its consequences for the others follow at the queue's next step. */
        FAILED,
        /** Has its status; waits until it is the oldest, so that records come in order. */
        DONE,
        /** Has its record; it still occupies its place while older ones are unfinished. */
        REPORTED
    }

    /** How far it is. */
    public Stage stage = Stage.REPORTED;

    /** Number of its completion status, once it is DONE or FAILED. */
    public int status;

    /** What it means for the order. */
    public WorkKind kind = WorkKind.NOP;

    /** A message that has bytes to place, which follow all earlier messages to its peer, as those of a WRITE do. */
    public boolean placesBytes;

    /** Bytes of it may be at their place, though it waits. */
    public boolean hasPlaced;

    /** The flow to its target; null where the provider has none for it. */
    public @Nullable F flow;

    /** Its peer; null for a NOP, and for what follows nothing. */
    public @Nullable P peer;

    /** Since when its peer owes an answer. */
    public long sinceNanos;

    /** It waits for an event of a device, or was not tried since that has ended. The provider sets it before it adds the entry. */
    public boolean followsEvent;

    private boolean inFlow;

    /** Whether it has its status. */
    public final boolean isSettled() {
        return !isOpen() && stage != Stage.COPYING;
    }

    /** Whether anything may end it: it has no status, and no thread copies for it. */
    public final boolean isOpen() {
        return stage == Stage.WAITING || stage == Stage.STARTED;
    }

    /** Whether it is to that peer. */
    @SuppressWarnings("ReferenceEquality") // each peer of a queue is one object
    final boolean isTo(SendPeer other) {
        return peer == other;
    }

    /** It is used for another work request, which is in no flow yet. */
    protected final void resetFlow() {
        inFlow = false;
    }

    /** Its flow and its peer count it among what is in flight. */
    public final void enterFlow(long nowNanos) {
        if (!inFlow) {
            inFlow = true;
            sinceNanos = nowNanos;
            count(1);
        }
    }

    /** It is acknowledged, or given up. */
    public final void leaveFlow() {
        if (inFlow) {
            inFlow = false;
            count(-1);
        }
    }

    private void count(int one) {
        P to = peer;
        if (to == null) {
            return;
        }
        to.sent += one;
        assert to.sent >= 0 : "more was acknowledged than sent";
        if (kind == WorkKind.MESSAGE) {
            to.sentMessages += one;
            if (flow != null) {
                flow.sent += one;
            }
        } else if (kind == WorkKind.READ) {
            to.sentFetches += one;
            to.sentReads += one;
        } else if (kind == WorkKind.ATOMIC) {
            to.sentFetches += one;
        }
    }

    /** Whether an answer to it, or to a part of it, is awaited. */
    protected abstract boolean isInFlight();

    /**
     * Whether something of an unfinished work request may have been executed, so that an error flushes it.
     *
     * @param isYoungerInFlight whether a younger work request of the queue is in flight
     */
    protected abstract boolean hasBegun(boolean isYoungerInFlight);

    /** Whether its beginning was sent and its rest is still to follow. */
    protected abstract boolean isHalfSent();

    /** Whether it may end while its peer or its connection may still read its payload. */
    protected abstract boolean mayEndEarly();

    /** Whether the event that it follows has not ended: it keeps its place until then. */
    protected boolean awaitsEvent() {
        return false;
    }

    /** Whether the work of a device that it follows has failed, and it with it. */
    protected boolean isAfterFailure() {
        return false;
    }

    /** Whether no byte of its local ranges moves any more: its record waits for that, whatever its status (S9.4). */
    protected boolean isQuiet() {
        return true;
    }

    /** A success that makes no record. */
    protected abstract boolean isSilent();

    /** It is finished: releases what it named, so that this can be closed and collected. */
    protected abstract void release();
}
