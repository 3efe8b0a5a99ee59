package io.urma4j.spi.support;

import org.jspecify.annotations.Nullable;

/**
 * The flow of messages from one send queue to one target: they arrive in order, and a target that is not ready holds up
 * this flow and no other (S12.1).
 */
public abstract class SendFlow {
    /** Rounds of RNR that stand for any number of them (S12.1). */
    private static final int UNLIMITED = 7;

    private final @Nullable SendPeer peer;

    /** Messages of this flow that were started and have no answer. */
    public int sent;

    /** The scan that found the flow blocked. */
    long blockedInScan;

    /** The next message must tell the receiver that the flow starts anew; an earlier life of it may have been held back. */
    public boolean restart = true;

    /** The oldest message was not ready and is being retransmitted: those behind wait until it is taken. */
    public boolean probing;

    /** The oldest message is not retransmitted before this time. */
    public long retryAtNanos;

    /** How often the oldest message found no receive work request. */
    private int rnrRounds;

    /** A flow to a target at that peer; null for datagrams, which follow nothing. */
    protected SendFlow(@Nullable SendPeer peer) {
        this.peer = peer;
    }

    /** Whether its target is at that peer. */
    @SuppressWarnings("ReferenceEquality") // each peer of a queue is one object
    final boolean isTo(SendPeer other) {
        return peer == other;
    }

    /** Its oldest message was given up, or is to be tried again: what was started behind it comes back first. */
    public void startAnew(long nowNanos) {
        probing = true;
        restart = true;
        rnrRounds = 0;
        retryAtNanos = nowNanos;
    }

    /** Nothing of it is in flight any more, nor will come back. */
    public final void reset() {
        restart = true;
        probing = false;
        rnrRounds = 0;
    }

    /** The receiver took a message. */
    public final void taken() {
        probing = false;
        rnrRounds = 0;
    }

    /** No message of it says yet that it starts anew: what the receiver takes was sent before, by another import. */
    public final boolean awaitsRestart() {
        return probing && restart;
    }

    /** The receiver was not ready: what comes next says that the flow starts anew. */
    public final void notReady() {
        probing = true;
        restart = true;
    }

    /** Counts a round in which the oldest message found no receive work request; true when that were too many. */
    public final boolean isExhausted(int allowedRounds) {
        return allowedRounds != UNLIMITED && ++rnrRounds > allowedRounds;
    }
}
