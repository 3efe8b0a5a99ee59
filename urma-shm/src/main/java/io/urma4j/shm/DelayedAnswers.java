package io.urma4j.shm;

import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.spi.support.SpinLock;

/**
 * The answers to messages of a path, which are held back while the receiving thread is expected to reply: then one wake-up
 * serves both. The expectation is a guess, read without ordering: a wrong one delays an answer until the next poll, or the
 * engine's next tick.
 */
final class DelayedAnswers {
    private final RingReceiver in;
    private final SpinLock receiving;
    private boolean replies; // the receiving thread replies before it looks for the next message
    private boolean unreplied; // messages came in after the last one went out

    /** Nothing is held back so far; {@code receiving} is the lock of {@code in}. */
    DelayedAnswers(RingReceiver in, SpinLock receiving) {
        this.in = in;
        this.receiving = receiving;
    }

    /** Whether a reply is expected, which the answer may follow. */
    boolean mayWait() {
        return replies;
    }

    /** Messages were received. */
    void received() {
        unreplied = true;
    }

    /** A message was sent: the answer to the one before it follows. The caller wakes the peer. */
    void sent() {
        if (unreplied) {
            reply();
        }
    }

    private void reply() {
        unreplied = false;
        replies = true;
        if (in.isHolding() && receiving.tryAcquire()) {
            write();
        }
    }

    /** Whether a thread that finds no message should call {@link #noReply}. */
    boolean areDue() {
        return unreplied || in.isHolding();
    }

    /** A thread that has not replied to the last message polls for messages. True if the peer must be woken. */
    boolean noReply(boolean insist) {
        unreplied = false;
        replies = false;
        if (!in.isHolding() || !receiving.acquire(insist)) {
            return false;
        }
        write();
        return true;
    }

    /** The thread that receives just now, if any, has made its records when this returns. The caller holds no lock. */
    void awaitReceiver() {
        receiving.acquire();
        receiving.release();
    }

    private void write() {
        try {
            in.tellHeld();
        } finally {
            receiving.release();
        }
    }
}
