package io.urma4j.shm.control;

import io.urma4j.OrderType;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;

/**
 * Whether a peer may send to a queue, and the properties that it needs.
 *
 * @param status SUCCESS, or the reason; then the rest is meaningless
 * @param attributes agreed on by the data planes of both sides
 */
public record QueueAnswer(UrmaStatus status, TransportMode mode, OrderType orderType, long attributes) {
    public static QueueAnswer granted(TransportMode mode, OrderType orderType, long attributes) {
        return new QueueAnswer(UrmaStatus.SUCCESS, mode, orderType, attributes);
    }

    public static QueueAnswer refused(UrmaStatus status) {
        return new QueueAnswer(status, TransportMode.RM, OrderType.DEF, 0);
    }
}
