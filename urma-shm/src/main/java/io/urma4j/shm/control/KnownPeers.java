package io.urma4j.shm.control;

import java.lang.foreign.MemorySegment;
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

    /** A peer to which a window is granted by its identity (S14.32), connected or not. */
    WindowUser user(io.urma4j.PeerId identity, long number) {
        return new Named(this, identity, number);
    }

    private record Named(KnownPeers known, io.urma4j.PeerId identity, long number) implements WindowUser {
        @Override
        public int slots() {
            return WindowTable.MAX_SLOTS; // a version that knows such keys knows all slots
        }

        @Override
        public boolean hasEnded() {
            return !known.peers.containsKey(identity);
        }

        @Override
        public @Nullable MemorySegment operations(int table) {
            Peer peer = known.peers.get(identity);
            return peer == null ? null : peer.operations.get(table);
        }
    }
}
