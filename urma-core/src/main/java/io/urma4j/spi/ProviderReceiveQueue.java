package io.urma4j.spi;

import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.ReceiveState;

/** The receive half: where messages find their buffers. */
public interface ProviderReceiveQueue {
    int id();

    int depth();

    ReceiveState state();

    /** What a peer needs to send to it, except the token. */
    JettyDescriptor descriptor();

    /** Adds a receive work request with one buffer; false when the queue is full. */
    boolean receive(ProviderSegment buffer, long offset, long lengthBytes, long userContext);

    /** Adds a receive work request with several buffers; false when the queue is full. */
    boolean receive(WorkRequest request);

    /**
     * Asks for one event JFR_LIMIT when fewer receive work requests than this wait, at once when it is so already; 0 for
     * none.
     */
    void rxThreshold(int threshold);

    /** Moves to a state that the caller found legal. */
    void modify(ReceiveState next);

    Counters counters();

    void close();
}
