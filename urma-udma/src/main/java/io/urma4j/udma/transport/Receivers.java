package io.urma4j.udma.transport;

import org.jspecify.annotations.Nullable;

/** Finds the queue of a message. */
public interface Receivers {
    /**
     * The buffers for messages to that queue; null if the number is unknown, or its owner does not accept messages from
     * there.
     *
     * @param hint for the member of a Jetty group
     */
    @Nullable
    ReceiveWork receiver(int queue, int hint, int sourceQueue, int connection);
}
