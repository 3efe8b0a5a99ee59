package io.urma4j.udma.driver;

import io.urma4j.udma.control.Peer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A peer context, and the card's connection with it: what all RM queues send to it by. It lasts until the peer is lost and
 * nothing here names it any more. The engine's thread, but what is final.
 */
final class Path {
    private final Adapter adapter;
    private final Peer peer;
    private final int number;
    private final int connection;
    private final int memoryTarget;
    private final boolean isNeighbour;
    private int users = 1; // the peer itself is one
    private boolean left;

    private final Map<Integer, Integer> keys = new ConcurrentHashMap<>();

    /** What we imported, by the number of the grant. */
    final Map<Long, UdmaImport> imports = new HashMap<>();

    /** What the peer imported, by its key. */
    final Map<Integer, Grant> grants = new HashMap<>();

    /** Grants that were taken back before the answer that grants them had come. */
    final EarlyRevocations early = new EarlyRevocations();

    /**
     * A path.
     *
     * @param isNeighbour the peer is one of our own runtime directory, which tells when its process is dead
     */
    Path(Adapter adapter, Peer peer, int number, int connection, int memoryTarget, boolean isNeighbour) {
        this.adapter = adapter;
        this.peer = peer;
        this.number = number;
        this.connection = connection;
        this.memoryTarget = memoryTarget;
        this.isNeighbour = isNeighbour;
    }

    Peer peer() {
        return peer;
    }

    /** The number of the peer on this card: keys are bound to it. */
    int number() {
        return number;
    }

    /** The card's handle. */
    int connection() {
        return connection;
    }

    /** What one-sided work requests name, to reach the peer's memory. */
    int memoryTarget() {
        return memoryTarget;
    }

    boolean isNeighbour() {
        return isNeighbour;
    }

    /** Whether its end would change anything here. */
    boolean matters() {
        return users > 1 || !imports.isEmpty() || !grants.isEmpty();
    }

    /** What was imported from there under a token id has that key. */
    void know(int tokenId, int key) {
        keys.put(tokenId, key);
    }

    void forget(int tokenId, int key) {
        keys.remove(tokenId, key);
    }

    /** The key of what was imported from there under a token id; 0 when nothing was. Any thread. */
    int keyOf(int tokenId) {
        return keys.getOrDefault(tokenId, 0);
    }

    void retain() {
        users++;
    }

    void release() {
        if (--users == 0) {
            adapter.unwatchConnection(connection);
            adapter.crank().enter();
            try {
                adapter.card().destroyTarget(memoryTarget);
                adapter.card().disconnect(connection);
            } finally {
                adapter.crank().leave();
            }
        }
    }

    /** The peer is gone: what is under way to it ends. */
    void leave() {
        if (left) {
            return;
        }
        left = true;
        adapter.crank().enter();
        try {
            adapter.card().peerLost(connection, adapter.nanos());
        } finally {
            adapter.crank().leave();
        }
        release();
    }

    @Override
    public String toString() {
        return "path to " + peer;
    }
}
