package io.urma4j.udma.device;

import io.urma4j.udma.transport.Route;
import org.jspecify.annotations.Nullable;

/**
 * The target of a work request.
 *
 * @param link the connection to its context; null for a queue that receives datagrams
 * @param remoteQueue its number; 0 for the memory of the context
 * @param route to a queue that receives datagrams
 * @param queueKey of a queue that receives datagrams
 */
record Target(
        @Nullable CardConnection link,
        int remoteQueue,
        @Nullable Route route,
        int queueKey) {}
