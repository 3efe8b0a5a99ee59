package io.urma4j.udma.transport;

/** Who has a connection, and is told what becomes of it. Called from within the connection's own calls. */
public interface ConnectionOwner {
    /**
     * The connection has failed: its work requests have all ended, it starts none any more and answers nobody.
     *
     * @param status of the work request that it failed with, a number of URMA
     */
    void failed(Connection connection, int status, long nowNanos);

    /**
     * A request of the peer was refused with an error. A connection of one queue takes no further requests after it, and
     * repeats the refusal; its own requests go on. A shared one goes on altogether.
     *
     * @param syndrome what the peer is told (WIRE §4.4)
     */
    default void refused(Connection connection, int syndrome, long nowNanos) {}
}
