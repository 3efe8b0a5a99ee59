package io.urma4j.shm.control;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The peers by the identity of their greeting, from when the lock of their UASID has confirmed it until they are proven gone. If
 * several claim one identity, the first has it. The engine's thread changes it, any thread reads it.
 *
 * <p>A thread that has invalidated a window, and then finds no peer here, may reuse the window: a peer that is added later
 * has not begun an operation, and will read that the window is invalid.
 */
final class KnownPeers {
    private final Map<io.urma4j.PeerId, Peer> peers = new ConcurrentHashMap<>();

    void identified(Peer peer) {
        peers.putIfAbsent(peer.identity(), peer);
    }

    /** It no longer touches memory of this context. */
    void gone(Peer peer) {
        peers.remove(peer.identity(), peer);
    }

    /** Whether it is what it claims to be, and no earlier peer is the same. */
    boolean isProven(Peer peer) {
        return peer.equals(peers.get(peer.identity()));
    }

    @Nullable
    Peer find(io.urma4j.PeerId identity) {
        return peers.get(identity);
    }
}
