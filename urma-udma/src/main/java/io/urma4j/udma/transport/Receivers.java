package io.urma4j.udma.transport;

import org.jspecify.annotations.Nullable;

/** Finds the queue that a message is for. */
public interface Receivers {
    /**
     * The buffers for messages to that queue; null when nobody has the number, or its owner does not take messages from
     * there.
     *
     * @param hint which member of a Jetty group is meant
     */
    @Nullable
    ReceiveWork receiver(int queue, int hint, int sourceQueue, int connection);
}
