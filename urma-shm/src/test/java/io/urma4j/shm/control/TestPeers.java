package io.urma4j.shm.control;

import io.urma4j.Eid;

/** Peers without connections, for tests of the data plane. */
public final class TestPeers {
    private TestPeers() {}

    /** The peer is gone. */
    public static void lose(Peer peer) {
        peer.markLost();
    }

    /** A peer that imports nothing. */
    public static Peer one() {
        return new Peer(RawPeer.ID, Eid.ofIpv4(1), RawPeer.UASID, 0, 0);
    }
}
