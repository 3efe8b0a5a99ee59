package io.urma4j.udma.control;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a context, and which of them are evicted when there are too many. For one thread.
 *
 * <p>A greeting proves an address and nothing else, so a peer that holds nothing of this context has no claim to its place.
 * A newcomer evicts one: of the network with most of them, the peer that was silent for longest. A peer that holds
 * something is never evicted for one that does not. A network counts as one sender, whatever addresses and ports it sends
 * from.
 */
final class PeerTable {
    static final int MAX_PEERS = 4096;
    static final int MAX_PEERS_OF_A_PORT = 512;
    static final int MAX_PEERS_OF_A_NETWORK = 2048;

    /** Of those, peers that hold nothing. */
    static final int MAX_IDLE = 1024;

    static final int MAX_IDLE_OF_A_NETWORK = 256;

    /** The identity of a context in its descriptors. */
    record Id(PortAddress address, long incarnation) {
        static Id of(Peer peer) {
            return new Id(peer.address(), peer.incarnation());
        }
    }

    private final Predicate<Peer> holds;
    private final Map<Id, Peer> peers = new HashMap<>();
    private final Map<Long, Peer> byTag = new HashMap<>();
    private final Map<PortAddress, Integer> ofPort = new HashMap<>();
    private final Map<Network, Integer> ofNetwork = new HashMap<>();

    // the same peers in each
    private final SequencedSet<Peer> idle = new LinkedHashSet<>(); // longest silent first
    private final IdlePeers<Network> idleOfNetwork = new IdlePeers<>();
    private final IdlePeers<PortAddress> idleOfPort = new IdlePeers<>();

    /** @param holds whether a peer and this context hold anything of each other */
    PeerTable(Predicate<Peer> holds) {
        this.holds = holds;
    }

    Collection<Peer> all() {
        return List.copyOf(peers.values());
    }

    @Nullable
    Peer get(Id id) {
        return peers.get(id);
    }

    @Nullable
    Peer byTag(long ownTag) {
        return byTag.get(ownTag);
    }

    void add(Peer peer) {
        peers.put(Id.of(peer), peer);
        byTag.put(peer.ownTag, peer);
        ofPort.merge(peer.address(), 1, Integer::sum);
        ofNetwork.merge(Network.of(peer.eid()), 1, Integer::sum);
        addIdle(peer);
    }

    void remove(Peer peer) {
        if (peers.remove(Id.of(peer), peer)) {
            byTag.remove(peer.ownTag);
            decrement(ofPort, peer.address());
            decrement(ofNetwork, Network.of(peer.eid()));
            isHolder(peer);
        }
    }

    /** A datagram of the peer has arrived. */
    void heard(Peer peer, long nowNanos) {
        peer.heardNanos = nowNanos;
        if (idle.contains(peer)) {
            addIdle(peer);
        }
    }

    /** A peer was checked and holds nothing. */
    void isIdle(Peer peer) {
        if (!idle.contains(peer)) {
            addIdle(peer);
        }
    }

    /** A peer was checked and holds something. */
    void isHolder(Peer peer) {
        idle.remove(peer);
        idleOfNetwork.remove(Network.of(peer.eid()), peer);
        idleOfPort.remove(peer.address(), peer);
    }

    private void addIdle(Peer peer) {
        idle.addLast(peer);
        idleOfNetwork.addLast(Network.of(peer.eid()), peer);
        idleOfPort.addLast(peer.address(), peer);
    }

    /** Of the peers that held nothing at their last check, the one that was silent for longest; null for none. */
    @Nullable
    Peer longestIdle() {
        return idle.isEmpty() ? null : idle.getFirst();
    }

    private static <K> void decrement(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Whether one more peer at that address is within all limits. */
    boolean hasRoomFor(PortAddress address) {
        Network network = Network.of(address.eid());
        return peers.size() < MAX_PEERS
                && idle.size() < MAX_IDLE
                && ofPort.getOrDefault(address, 0) < MAX_PEERS_OF_A_PORT
                && ofNetwork.getOrDefault(network, 0) < MAX_PEERS_OF_A_NETWORK
                && idleOfNetwork.count(network) < MAX_IDLE_OF_A_NETWORK;
    }

    /**
     * The peer to evict for one at that address; null if none must, or none may be evicted. Checks which peers hold
     * something by now.
     */
    @Nullable
    Peer givesWayTo(PortAddress address) {
        Network network = Network.of(address.eid());
        if (ofPort.getOrDefault(address, 0) >= MAX_PEERS_OF_A_PORT) {
            return longestIdle(idleOfPort, address);
        }
        if (ofNetwork.getOrDefault(network, 0) >= MAX_PEERS_OF_A_NETWORK
                || idleOfNetwork.count(network) >= MAX_IDLE_OF_A_NETWORK) {
            return longestIdle(idleOfNetwork, network);
        }
        if (peers.size() >= MAX_PEERS || idle.size() >= MAX_IDLE) {
            return longestIdleOfTheLargestNetwork();
        }
        return null;
    }

    /** So that an attack evicts its own peers, if it comes from fewer networks than there are places. */
    private @Nullable Peer longestIdleOfTheLargestNetwork() {
        Peer peer = null;
        for (Network network = idleOfNetwork.largest();
                network != null && peer == null;
                network = idleOfNetwork.largest()) {
            peer = longestIdle(idleOfNetwork, network);
        }
        return peer;
    }

    private <K> @Nullable Peer longestIdle(IdlePeers<K> candidates, K group) {
        Peer peer = candidates.first(group);
        while (peer != null && holds.test(peer)) {
            isHolder(peer);
            peer = candidates.first(group);
        }
        return peer;
    }
}
