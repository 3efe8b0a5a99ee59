package io.urma4j.udma.command;

/**
 * Who is at the other end of a connection.
 *
 * @param number of the peer's context among those that this card knows, 1 and up: keys are bound to it. 0 for a peer that
 *     was connected by hand, which may use the keys for everybody alone
 * @param uasid of the peer's context, for records; 0 when it has none
 * @param pathNumber of the transport path, for records
 */
public record PeerInfo(int number, int uasid, int pathNumber) {
    /** A peer of which nothing but its address is known. */
    public static final PeerInfo STRANGER = new PeerInfo(0, 0, 0);
}
