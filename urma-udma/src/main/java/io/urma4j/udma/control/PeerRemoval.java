package io.urma4j.udma.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.List;

/** Drops peers of a context: out of the table first, so that nothing finds them any more. For one thread. */
record PeerRemoval(PeerTable peers, PeerEvents events) {
    static final String DEAD = "its process is dead";

    void lose(Peer peer, String why, boolean proven) {
        if (peer.isLost()) {
            return;
        }
        peer.markLost(why);
        peer.cancelLook();
        peers.remove(peer);
        peer.answers.clear();
        List<Pending> unanswered = List.copyOf(peer.pending.values());
        List<Pending> unasked = List.copyOf(peer.waiting);
        peer.pending.clear();
        peer.waiting.clear();
        events.lost(peer, why, proven);
        unanswered.forEach(asked -> {
            asked.retransmission().cancel();
            asked.answer().completeExceptionally(gone(peer, why));
        });
        unasked.forEach(asked -> {
            asked.retransmission().cancel();
            asked.answer().completeExceptionally(gone(peer, why));
        });
    }

    static UrmaException gone(Peer peer, String why) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + why);
    }
}
