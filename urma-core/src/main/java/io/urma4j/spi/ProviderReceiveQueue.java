package io.urma4j.spi;

import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.ReceiveState;

/** The receive half: its buffers wait for messages. */
public interface ProviderReceiveQueue {
    int id();

    int depth();

    ReceiveState state();

    /** What a peer needs to send to this queue, except the token. */
    JettyDescriptor descriptor();

    /** Posts a receive work request with one buffer; false if the queue is full. */
    boolean receive(ProviderSegment buffer, long offset, long lengthBytes, long userContext);

    /** Posts a receive work request with several buffers; false if the queue is full. */
    boolean receive(WorkRequest request);

    /**
     * Requests one event JFR_LIMIT when fewer receive work requests than this are left, at once if that is already so; 0
     * for none.
     */
    void rxThreshold(int threshold);

    /** Moves to a state; the caller has checked that the move is legal. */
    void modify(ReceiveState next);

    /** A snapshot of its counters; EINVAL when closed, also by another thread while the call runs (S4.2). */
    Counters counters();

    void close();
}
