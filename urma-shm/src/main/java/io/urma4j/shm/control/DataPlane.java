package io.urma4j.shm.control;

import io.urma4j.JettyDescriptor;
import io.urma4j.Resource;
import io.urma4j.UrmaStatus;
import java.util.List;

/**
 * What the control plane asks of the queues and rings of its context. All calls come on the engine's thread and must
 * not block.
 */
public interface DataPlane {
    /** A peer wants to send to one of our queues: checks its id, kind and token. */
    QueueAnswer queueRequested(Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken);

    /**
     * A peer's Jetty wants to be the only partner of our RC Jetty {@code localId}.
     *
     * @return SUCCESS, also for a pair that is bound already; else why not
     */
    UrmaStatus bindRequested(Peer from, int localId, int remoteId, int orderType);

    void unbindRequested(Peer from, int localId, int remoteId);

    /** From now on messages can be exchanged with {@code peer}; once per peer. */
    void pathOpened(Peer peer, PathMemory path);

    /**
     * A peer is gone, and its path with it; once per peer, and only for one that had a path, an import or a grant. The
     * event PEER_LOST is the data plane's to raise. The engine watches the path no more, and whoever got it in
     * {@link #pathOpened} closes it when no thread uses it.
     *
     * @param why in words
     * @param proven its process has ended or it said goodbye: it touches no memory of ours any more
     */
    void peerLost(Peer peer, String why, boolean proven);

    /**
     * What the queues and rings have of a kind (TP, WAIT): at most {@code limit}, those with the lowest numbers above
     * {@code after}, in order.
     */
    default List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return List.of();
    }

    /**
     * A turn of the engine: after each batch of events, after {@link ControlPlane#wakeEngine}, and when the time that
     * the last turn asked for is over.
     *
     * @param nowNanos {@code System.nanoTime()}
     * @return after how many nanoseconds it wants the next turn, at the latest; 0 for at once, {@code Long.MAX_VALUE}
     *     for not before something happens
     */
    long turn(long nowNanos);
}
