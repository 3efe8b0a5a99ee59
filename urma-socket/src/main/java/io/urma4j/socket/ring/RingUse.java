package io.urma4j.socket.ring;

/**
 * What a connection has moved, as a thread beside it sees it.
 *
 * @param readBytes that this end has read, ever
 * @param unreadBytes that wait in the ring of this end
 * @param writtenBytes that this end has written, ever
 * @param uncreditedBytes of them that the peer has not read yet, as far as its credit tells
 * @param doorbellsSent bytes over TCP that woke the peer
 * @param doorbellsHeard bytes over TCP that woke this end
 * @param spins of reads and writes that waited
 */
public record RingUse(
        long readBytes,
        int unreadBytes,
        long writtenBytes,
        int uncreditedBytes,
        int doorbellsSent,
        int doorbellsHeard,
        SpinUse spins) {}
