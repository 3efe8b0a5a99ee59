package io.urma4j.udma.control;

/** What a context must know of its peers. On the thread that drives the control plane. */
public interface PeerEvents {
    /** Our end of a connection that may come to be. */
    ConnectionEnd newHalf();

    /** It did not come to be. */
    void discard(ConnectionEnd half);

    /** There is a peer. It holds nothing yet, and nothing is to be made for it beyond what remembers it. */
    void greeted(Peer peer);

    /** A peer wants something: {@link ControlPlane#answer} follows, now or later. */
    void requested(Peer from, long number, PeerMessage request);

    /**
     * Whether the peer holds anything of ours, or we of it: then it is asked whether it is there when it is silent, and keeps
     * its place as long as it answers. If not, it is dropped when it is silent, or when others need its place.
     */
    boolean holds(Peer peer);

    /** Whether there is proof beside the network that the process of a peer is dead. */
    default boolean isDead(Peer peer) {
        return false;
    }

    /**
     * A peer is gone; once per peer.
     *
     * @param proven it said so, or another answers in its place: it does nothing any more
     */
    void lost(Peer peer, String why, boolean proven);
}
