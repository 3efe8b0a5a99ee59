package io.urma4j.udma.control;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one group each that held nothing when they were last looked at, the one that was silent for longest first.
 * No operation depends on how many there are, since a flood evicts a peer with each greeting. For one thread.
 *
 * @param <K> what the peers of a group have in common, never null
 */
final class IdlePeers<K> {
    private final Map<K, SequencedSet<Peer>> groups = new HashMap<>();

    /** The groups by how many they are. */
    private final NavigableMap<Integer, SequencedSet<K>> bySize = new TreeMap<>();

    /** Adds one, or notes that it was heard: it gives way as the last of its group. */
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

    /** The group that most belong to; null when there is none. */
    @Nullable
    K largest() {
        var largest = bySize.lastEntry();
        return largest == null ? null : largest.getValue().getFirst();
    }

    int count(K group) {
        return peers(group).size();
    }

    boolean contains(K group, Peer peer) {
        return peers(group).contains(peer);
    }

    /** The one of a group that was silent for longest; null when the group is empty. */
    @Nullable
    Peer first(K group) {
        SequencedSet<Peer> peers = groups.get(group);
        return peers == null ? null : peers.getFirst();
    }

    private Collection<Peer> peers(K group) {
        SequencedSet<Peer> peers = groups.get(group);
        return peers == null ? List.of() : peers;
    }
}
