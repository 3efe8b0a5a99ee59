package io.urma4j.udma.driver;

import io.urma4j.PeerId;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.control.Peer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A peer context, and the card's connection with it, which all RM queues use to send to it. The connection is created with
 * the first import or bind of either side: a peer that merely greeted uses no state on the card and no place among the
 * known sources of packets. It lasts until the peer is lost and no object here names it any more. The engine's thread.
 */
final class Path {
    private static final int MAX_REVOKED_EARLY = 256;

    private final Adapter adapter;
    private final Peer peer;
    private final PeerId identity;
    private final Runnable opener;
    private PeerInfo info = PeerInfo.STRANGER;
    private int connection;
    private int memoryTarget;
    private boolean isNeighbour;
    private boolean isOpen;
    private boolean isNamed; // it has the number of its identity
    private @Nullable WatchedProcess process; // of a neighbour
    private int users = 1; // the peer itself is one
    private boolean importedQueue;

    /** Imports from the peer, by the number of the grant; written by the engine, read by any thread. */
    final Map<Long, UdmaImport> imports = new ConcurrentHashMap<>();

    /** Grants to the peer, by key. */
    final Map<Integer, Grant> grants = new HashMap<>();

    private final Set<Long> revokedEarly = new LinkedHashSet<>(); // the oldest first

    /**
     * A path that is not open.
     *
     * @param opener calls {@link #opened} with the card's connection
     */
    Path(Adapter adapter, Peer peer, Consumer<Path> opener) {
        this.adapter = adapter;
        this.peer = peer;
        this.identity = new PeerId(peer.eid(), peer.uasid(), peer.incarnation());
        this.opener = () -> opener.accept(this);
    }

    /** Creates the card's end of the connection, unless it exists. Either side does so before it uses its imports. */
    void open() {
        if (!isOpen) {
            opener.run();
        }
    }

    /**
     * The card's end exists.
     *
     * @param livesHere the peer is in this runtime directory, which shows when its process is dead
     */
    void opened(PeerInfo itsPeer, int itsConnection, int itsMemoryTarget, boolean livesHere) {
        info = itsPeer;
        connection = itsConnection;
        memoryTarget = itsMemoryTarget;
        isNeighbour = livesHere;
        isOpen = true;
    }

    /** What its greeting has proven, and windows are granted to (S14.32). */
    PeerId identity() {
        return identity;
    }

    /** Its number on the card is that of its identity from now on: the windows that are granted to it open. */
    void name() {
        isNamed = true;
    }

    boolean isNamed() {
        return isNamed;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** It imported a queue of this context; such an import is never released. */
    void noteImportOfQueue() {
        importedQueue = true;
    }

    /** Whether the peer holds anything, or this context anything of it. */
    boolean holds() {
        return matters() || importedQueue;
    }

    Peer peer() {
        return peer;
    }

    /** The number of the peer on this card: keys are bound to it. */
    int number() {
        return info.number();
    }

    /** The peer, as the card knows it. */
    PeerInfo info() {
        return info;
    }

    /** The card's handle. */
    int connection() {
        return connection;
    }

    /** The handle that one-sided work requests name, to reach the peer's memory. */
    int memoryTarget() {
        return memoryTarget;
    }

    /** The key of an import of that segment; 0, which is invalid, if there is none. Any thread. */
    int keyOf(int tokenId) {
        for (UdmaImport imported : imports.values()) {
            if (imported.tokenId() == tokenId && !imported.isRevoked()) {
                return imported.key();
            }
        }
        return 0;
    }

    /** The peer revoked a grant that is unknown here: the network may reorder the revocation and the answer that grants. */
    void noteEarlyRevocation(long grant) {
        revokedEarly.add(grant);
        if (revokedEarly.size() > MAX_REVOKED_EARLY) {
            revokedEarly.remove(revokedEarly.iterator().next());
        }
    }

    /** Whether the peer revoked the grant before the answer that grants it arrived. */
    boolean wasRevokedEarly(long grant) {
        return revokedEarly.remove(grant);
    }

    boolean isNeighbour() {
        return isNeighbour;
    }

    /** Detects the end of a neighbour's process, at once or nearly so. */
    void watchProcess(int pid, Runnable ended) {
        process = WatchedProcess.open(adapter, pid, ended);
    }

    private void unwatchProcess() {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    /** Whether its end would affect this context. */
    boolean matters() {
        return users > 1 || !imports.isEmpty() || !grants.isEmpty();
    }

    void retain() {
        users++;
    }

    void release() {
        if (--users == 0 && isOpen) {
            isOpen = false;
            adapter.unwatchConnection(connection);
            adapter.eventLoop().run(card -> {
                card.destroyTarget(memoryTarget);
                card.disconnect(connection);
            });
            adapter.pathNumbers().give(info.pathNumber());
            adapter.unknownPeers().forget(peer.address());
        }
    }

    /** The peer is gone: work requests in progress to it end. Once. */
    void leave() {
        unwatchProcess();
        if (isOpen) {
            adapter.eventLoop().run(card -> card.peerLost(connection, adapter.nanos()));
        }
        release();
    }

    @Override
    public String toString() {
        return "path to " + peer;
    }
}
