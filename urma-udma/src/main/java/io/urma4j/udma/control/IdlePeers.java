package io.urma4j.udma.control;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The peers of each group that held nothing when they were last checked, ordered by silence, longest first. No operation
 * depends on their number, since under attack each greeting evicts a peer. For one thread.
 *
 * @param <K> the common property of a group, never null
 */
final class IdlePeers<K> {
    private final Map<K, SequencedSet<Peer>> groups = new HashMap<>();

    /** The groups by their size. */
    private final NavigableMap<Integer, SequencedSet<K>> bySize = new TreeMap<>();

    /** Adds a peer, or records that it was heard: it becomes the last of its group to be evicted. */
    void addLast(K group, Peer peer) {
        SequencedSet<Peer> peers = groups.computeIfAbsent(group, _ -> new LinkedHashSet<>());
        int before = peers.size();
        peers.addLast(peer);
        note(group, before, peers.size());
    }

    void remove(K group, Peer peer) {
        SequencedSet<Peer> peers = groups.get(group);
        if (peers != null && peers.remove(peer)) {
            note(group, peers.size() + 1, peers.size());
            if (peers.isEmpty()) {
                groups.remove(group);
            }
        }
    }

    private void note(K group, int before, int now) {
        if (before == now) {
            return;
        }
        SequencedSet<K> equals = bySize.get(before);
        if (equals != null && equals.remove(group) && equals.isEmpty()) {
            bySize.remove(before);
        }
        if (now > 0) {
            bySize.computeIfAbsent(now, _ -> new LinkedHashSet<>()).addLast(group);
        }
    }

    /** The largest group; null if there is none. */
    @Nullable
    K largest() {
        var largest = bySize.lastEntry();
        return largest == null ? null : largest.getValue().getFirst();
    }

    int count(K group) {
        SequencedSet<Peer> peers = groups.get(group);
        return peers == null ? 0 : peers.size();
    }

    /** The peer of a group that was silent for longest; null if the group is empty. */
    @Nullable
    Peer first(K group) {
        SequencedSet<Peer> peers = groups.get(group);
        return peers == null ? null : peers.getFirst();
    }
}
