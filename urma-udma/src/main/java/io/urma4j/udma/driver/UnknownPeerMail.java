package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.udma.control.Network;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Queue;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Pending control datagrams of unknown senders: one of each network in turn, so that an attack delays only the networks
 * that it comes from. When too many are pending, the network with most of them loses one. For one thread.
 */
final class UnknownPeerMail {
    static final int MAX_WAITING = 1024;

    private final SequencedMap<Network, Queue<Letter>> waiting = new LinkedHashMap<>(); // the next one's turn is first
    private int count;

    /** A datagram and its sender. */
    record Letter(Eid source, ByteBuffer datagram) {}

    boolean isEmpty() {
        return count == 0;
    }

    void add(Eid source, ByteBuffer datagram) {
        Network network = Network.of(source);
        if (count == MAX_WAITING && !hasDroppedFor(network)) {
            return;
        }
        waiting.computeIfAbsent(network, _ -> new ArrayDeque<>()).add(new Letter(source, datagram));
        count++;
    }

    /** Frees space at the cost of the network with most datagrams; false if that is this one, or all have one each. */
    private boolean hasDroppedFor(Network network) {
        Queue<Letter> own = waiting.get(network);
        int ownCount = own == null ? 0 : own.size();
        if (ownCount >= MAX_WAITING / waiting.size()) {
            return false; // without a look at all others, which a flood would cause each time
        }
        Queue<Letter> most = waiting.values().stream()
                .max(Comparator.comparingInt(Queue::size))
                .orElseThrow();
        if (most.size() <= ownCount + 1) {
            return false;
        }
        most.remove();
        count--;
        return true;
    }

    /** The next one; null if there is none. */
    @Nullable
    Letter poll() {
        var next = waiting.pollFirstEntry();
        if (next == null) {
            return null;
        }
        Queue<Letter> letters = next.getValue();
        Letter letter = letters.remove();
        count--;
        if (!letters.isEmpty()) {
            waiting.put(next.getKey(), letters);
        }
        return letter;
    }
}
