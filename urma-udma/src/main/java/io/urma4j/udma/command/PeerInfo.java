package io.urma4j.udma.command;

/**
 * The identity of the peer of a connection.
 *
 * @param number of the peer's context among those that this card knows, 1 and up: keys are bound to it. 0 for a peer that
 *     was connected by hand, which may use only keys for every peer
 * @param uasid of the peer's context, for records; 0 if it has none
 * @param pathNumber of the transport path, for records
 */
public record PeerInfo(int number, int uasid, int pathNumber) {
    /** A peer of which only the address is known. */
    public static final PeerInfo STRANGER = new PeerInfo(0, 0, 0);
}
