package io.urma4j.shm.control;

import io.urma4j.JettyDescriptor;
import io.urma4j.Resource;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.bounce.BounceServer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The interface of the control plane to the queues and rings of its context. All calls are on the engine's thread and must
 * not block.
 */
public interface DataPlane {
    /** A peer requests to send to a queue of this context: checks its id, kind and token. */
    QueueAnswer queueRequested(Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken);

    /**
     * A peer's Jetty requests to bind to the RC Jetty {@code localId}.
     *
     * @return SUCCESS, also for a pair that is already bound; otherwise the reason
     */
    UrmaStatus bindRequested(Peer from, int localId, int remoteId, int orderType);

    void unbindRequested(Peer from, int localId, int remoteId);

    /** Messages can be exchanged with {@code peer} from now on; called once per peer. */
    void pathOpened(Peer peer, PathMemory path);

    /** That peer could not be told that the path is open, so it is not: its owner closes it. */
    void pathUndone(Peer peer);

    /** Sends a request of a bounce client to a peer; false if there is no room now, or the peer is gone. Any thread. */
    boolean request(Peer to, MemorySegment request);

    /** The message rings, for servers of device memory. */
    BounceServer.Rings rings();

    /**
     * A peer and its path are gone. Called once per peer, and only for one with a path, an import or a grant. The data
     * plane raises the event PEER_LOST. The engine no longer watches the path; its owner from {@link #pathOpened} closes it
     * when no thread uses it.
     *
     * @param why as text
     * @param proven its process has ended or it said goodbye: it no longer touches memory of this context
     */
    void peerLost(Peer peer, String why, boolean proven);

    /**
     * Objects of a kind (TP, WAIT) in queues and rings: at most {@code limit}, in order, with the lowest numbers above
     * {@code after}.
     */
    default List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return List.of();
    }

    /**
     * A step of the engine: after each batch of events, after {@link ControlPlane#wakeEngine}, and at the deadline that the
     * last step returned.
     *
     * @param nowNanos {@code System.nanoTime()}
     * @return delay to the next step, at the latest; 0 for at once, {@code Long.MAX_VALUE} for the next event
     */
    long turn(long nowNanos);
}
