package io.urma4j.shm.control;

import io.urma4j.OrderType;
import io.urma4j.TransportMode;

/**
 * The permission to send to a queue of a peer; the path to it is open.
 *
 * @param attributes of the {@link QueueAnswer} of the peer's data plane
 */
public record QueueGrant(Peer peer, int queueId, TransportMode mode, OrderType orderType, long attributes) {}
