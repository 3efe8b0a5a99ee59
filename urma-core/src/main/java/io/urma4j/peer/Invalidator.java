package io.urma4j.peer;

/** What a client calls when pages go away. */
@FunctionalInterface
public interface Invalidator {
    /**
     * Revokes a registration. Once it returns, no operation of a peer, and no copy of a provider, touches the pages. Called
     * again, or for an unknown ticket, it does nothing. Any thread may call it, also from within {@link
     * PeerAcquisition#getPages} and {@link PeerAcquisition#dmaMap}: then the registration fails after these return.
     */
    void invalidate(Ticket ticket, InvalidationReason reason);
}
