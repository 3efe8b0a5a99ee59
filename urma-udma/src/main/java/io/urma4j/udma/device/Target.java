package io.urma4j.udma.device;

import io.urma4j.udma.transport.Route;
import org.jspecify.annotations.Nullable;

/**
 * Whom a work request is for.
 *
 * @param link the connection to its context; null for a queue that takes datagrams
 * @param remoteQueue its number; 0 for the memory of the context
 * @param route to a queue that takes datagrams
 * @param queueKey of a queue that takes datagrams
 */
record Target(
        @Nullable CardConnection link,
        int remoteQueue,
        @Nullable Route route,
        int queueKey) {}
