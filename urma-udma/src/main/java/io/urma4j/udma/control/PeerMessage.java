package io.urma4j.udma.control;

import io.urma4j.spi.control.ControlMessage;

/** The content of a request or an answer: a message of the core's protocol, or one that only a network needs. */
public sealed interface PeerMessage {
    /** A message of the core. Its own request number is that of the datagram. */
    record Core(ControlMessage message) implements PeerMessage {}

    /** A ping. */
    record Ping() implements PeerMessage {}

    /**
     * Requests to bind the receiver's RC Jetty to the sender's.
     *
     * @param queue QP number of the receiver's Jetty
     * @param partner QP number of the sender's
     * @param orderType number of the effective one
     * @param firstPsn of the sender's requests
     * @param mtuBytes of the connection: longer than those of RoCE only if both greetings announce it
     */
    record BindQueue(int queue, int partner, int orderType, int firstPsn, int mtuBytes) implements PeerMessage {}

    /** The binding is accepted: the properties that the other end needs. */
    record QueueBound(int firstPsn, int mtuBytes) implements PeerMessage {}
}
