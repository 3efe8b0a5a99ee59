package io.urma4j.udma.transport;

/** The owner of a connection, which is notified of its failures. Called from within the connection's own calls. */
public interface ConnectionOwner {
    /**
     * The connection has failed: its work requests have all ended, it starts none any more and sends no response.
     *
     * @param status of the failed work request, a number of URMA
     */
    void failed(Connection connection, int status, long nowNanos);

    /**
     * A request of the peer was refused with an error. A connection of one queue then accepts no further requests, and
     * repeats the NAK; its own requests continue. A shared one continues altogether.
     *
     * @param syndrome of the NAK (WIRE §4.4)
     */
    default void refused(Connection connection, int syndrome, long nowNanos) {}
}
