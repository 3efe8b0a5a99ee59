package io.urma4j.udma.control;

import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a context, and who of them gives way when there are too many. For one thread.
 *
 * <p>A greeting proves an address and nothing else, so that a peer which holds nothing of this context has no claim to its
 * place: the one that was silent for longest is evicted for a newcomer. A peer that holds something is never evicted for
 * one that does not. A network counts as one sender, whatever addresses and ports it sends from.
 */
final class PeerTable {
    static final int MAX_PEERS = 4096;
    static final int MAX_PEERS_OF_A_PORT = 512;
    static final int MAX_PEERS_OF_A_NETWORK = 2048;

    /** Of those, peers that hold nothing. */
    static final int MAX_IDLE = 1024;

    static final int MAX_IDLE_OF_A_NETWORK = 256;

    /** Who a context is, as its descriptors say. */
    record Id(PortAddress address, long incarnation) {
        static Id of(Peer peer) {
            return new Id(peer.address(), peer.incarnation());
        }
    }

    /** What one sender can take addresses from: one IPv4 address, or 64 bits of an IPv6 address. */
    private record Network(long high, long low) {
        static Network of(PortAddress address) {
            boolean isIpv4 = address.eid().high() == 0;
            return new Network(address.eid().high(), isIpv4 ? address.eid().low() : 0);
        }
    }

    private final Predicate<Peer> holds;
    private final Map<Id, Peer> peers = new HashMap<>();
    private final Map<Long, Peer> byTag = new HashMap<>();
    private final Map<PortAddress, Integer> ofPort = new HashMap<>();
    private final Map<Network, Integer> ofNetwork = new HashMap<>();

    /** Peers that held nothing when they were last looked at, the one that was silent for longest first. */
    private final SequencedSet<Peer> idle = new LinkedHashSet<>();

    private final Map<Network, Integer> idleOfNetwork = new HashMap<>();

    /** @param holds whether a peer holds something here, or we hold something of it */
    PeerTable(Predicate<Peer> holds) {
        this.holds = holds;
    }

    Collection<Peer> all() {
        return List.copyOf(peers.values());
    }

    int size() {
        return peers.size();
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
        ofNetwork.merge(Network.of(peer.address()), 1, Integer::sum);
        addIdle(peer);
    }

    void remove(Peer peer) {
        if (peers.remove(Id.of(peer), peer)) {
            byTag.remove(peer.ownTag);
            decrement(ofPort, peer.address());
            decrement(ofNetwork, Network.of(peer.address()));
            if (idle.remove(peer)) {
                decrement(idleOfNetwork, Network.of(peer.address()));
            }
        }
    }

    /** A datagram of the peer has come. */
    void heard(Peer peer, long nowNanos) {
        peer.heardNanos = nowNanos;
        if (idle.remove(peer)) {
            idle.add(peer);
        }
    }

    /** A peer was looked at and holds nothing. */
    void isIdle(Peer peer) {
        if (!idle.contains(peer)) {
            addIdle(peer);
        }
    }

    private void addIdle(Peer peer) {
        idle.add(peer);
        idleOfNetwork.merge(Network.of(peer.address()), 1, Integer::sum);
    }

    private static <K> void decrement(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Whether one more peer at that address is within all limits. */
    boolean hasRoomFor(PortAddress address) {
        Network network = Network.of(address);
        return peers.size() < MAX_PEERS
                && idle.size() < MAX_IDLE
                && ofPort.getOrDefault(address, 0) < MAX_PEERS_OF_A_PORT
                && ofNetwork.getOrDefault(network, 0) < MAX_PEERS_OF_A_NETWORK
                && idleOfNetwork.getOrDefault(network, 0) < MAX_IDLE_OF_A_NETWORK;
    }

    /** Which peer must leave before there is room for one at that address; null when none need, or none may. */
    @Nullable
    Peer givesWayTo(PortAddress address) {
        Network network = Network.of(address);
        if (ofPort.getOrDefault(address, 0) >= MAX_PEERS_OF_A_PORT) {
            return longestIdle(peer -> peer.address().equals(address));
        }
        if (ofNetwork.getOrDefault(network, 0) >= MAX_PEERS_OF_A_NETWORK
                || idleOfNetwork.getOrDefault(network, 0) >= MAX_IDLE_OF_A_NETWORK) {
            return longestIdle(peer -> Network.of(peer.address()).equals(network));
        }
        if (peers.size() >= MAX_PEERS || idle.size() >= MAX_IDLE) {
            return longestIdle(_ -> true);
        }
        return null;
    }

    private @Nullable Peer longestIdle(Predicate<Peer> candidate) {
        for (Iterator<Peer> each = idle.iterator(); each.hasNext(); ) {
            Peer peer = each.next();
            if (holds.test(peer)) {
                each.remove();
                decrement(idleOfNetwork, Network.of(peer.address()));
            } else if (candidate.test(peer)) {
                return peer;
            }
        }
        return null;
    }
}
