package io.urma4j.udma.control;

/** Events about the peers of a context. On the thread that drives the control plane. */
public interface PeerEvents {
    /** Allocates this context's end of a possible connection. */
    ConnectionEnd newHalf();

    /** A peer was created. It holds nothing yet, and needs no state beyond its entry. */
    void greeted(Peer peer);

    /** A request of a peer: {@link ControlPlane#answer} follows, now or later. */
    void requested(Peer from, long number, PeerMessage request);

    /**
     * Whether the peer and this context hold anything of each other. Such a peer is pinged when it is silent, and keeps its
     * place while it answers. Any other peer is dropped when it is silent, or evicted when others need its place.
     */
    boolean holds(Peer peer);

    /**
     * Whether this context has granted the peer something that the peer need not have used yet, and which ends with the peer.
     * Such a peer keeps its place like one that holds something, but may itself know nothing of this context.
     */
    default boolean hasGrants(Peer peer) {
        return false;
    }

    /** Whether there is a proof outside of the network that the process of a peer is dead. */
    default boolean isDead(Peer peer) {
        return false;
    }

    /** A peer is lost, whether it is {@link Peer#isGone gone} or was dropped; called once per peer. */
    void lost(Peer peer, String why);
}
