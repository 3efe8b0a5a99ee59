package io.urma4j.udma.control;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one group each that held nothing when they were last looked at, the one that was silent for longest first.
 * Whatever is asked of it takes the same time, however many they are: a flood of greetings evicts a peer with each. For one
 * thread.
 *
 * @param <K> what the peers of a group have in common
 */
final class IdlePeers<K> {
    private final Map<K, SequencedSet<Peer>> groups = new HashMap<>();

    /** Adds one, or notes that it was heard: it gives way as the last of its group. */
    void addLast(K group, Peer peer) {
        groups.computeIfAbsent(group, _ -> new LinkedHashSet<>()).addLast(peer);
    }

    void remove(K group, Peer peer) {
        SequencedSet<Peer> peers = groups.get(group);
        if (peers != null && peers.remove(peer) && peers.isEmpty()) {
            groups.remove(group);
        }
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
