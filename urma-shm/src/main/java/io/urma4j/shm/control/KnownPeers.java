package io.urma4j.shm.control;

import io.urma4j.spi.control.PeerWindows;
import io.urma4j.spi.control.SegmentTable;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The peers by the identity of their greeting, from when the lock of their UASID has confirmed it until they are proven gone, or
 * are dropped while they hold nothing. If several claim one identity, the first has it. The engine's thread changes it, any
 * thread reads it.
 *
 * <p>A thread that has invalidated a window, and then finds no peer here, may reuse the window: a peer that is added later
 * has not begun an operation, and will read that the window is invalid.
 */
final class KnownPeers {
    private final SegmentTable<ShmSegment> segments;
    private final Map<io.urma4j.PeerId, Peer> peers = new ConcurrentHashMap<>();

    /** @param segments whose windows are granted to peers by their identities */
    KnownPeers(SegmentTable<ShmSegment> segments) {
        this.segments = segments;
    }

    /** It is what it claims to be. One that was lost and imported nothing may come again, and then has its identity back. */
    void identified(Peer peer) {
        peers.merge(peer.identity(), peer, (first, next) -> first.isLost() && !first.mattered ? next : first);
    }

    /** It no longer touches memory of this context: the windows that were granted to its identity end (S14.32). */
    void gone(Peer peer) {
        if (peers.remove(peer.identity(), peer)) { // first: the windows have no user, and are quiet at once
            windows().forEach(windows -> windows.endOf(peer.identity()));
        }
    }

    /** It had no windows, and may live: one that another thread grants to its identity at this moment stays valid. */
    void dropped(Peer peer) {
        peers.remove(peer.identity(), peer);
    }

    /** Whether windows are granted to the identity that it has proven. */
    boolean hasWindows(Peer peer) {
        return isProven(peer) && windows().anyMatch(windows -> windows.has(peer.identity()));
    }

    private Stream<PeerWindows> windows() {
        return segments.all().stream().map(segment -> segment.exported().peerWindows());
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
