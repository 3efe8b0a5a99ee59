package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.SendFlows;
import io.urma4j.spi.support.SpinLock;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The flows of a send queue, found by target and by peer. A queue that was imported twice is two targets and one flow: its
 * receiver knows flows by the numbers of both queues. Guarded by the queue's lock.
 */
final class Flows {
    private final SpinLock lock;
    private final IdentityHashMap<ShmTarget, TargetUse> uses = new IdentityHashMap<>();
    private final Map<Destination, Lane> lanes = new HashMap<>();
    private final SendFlows<Lane> all = new SendFlows<>();
    private final Map<Peer, PeerLanes> peers = new HashMap<>();
    private @Nullable TargetUse last; // most queues send to one target for a while

    /** A queue of a peer, whichever import names it. */
    private record Destination(SendPath path, int queueId) {}

    /** No flows yet, of the queue with that lock. */
    Flows(SpinLock lock) {
        this.lock = lock;
    }

    TargetUse to(ShmTarget target) {
        TargetUse use = last;
        if (use == null || use.target != target) {
            use = uses.get(target);
            if (use == null) {
                use = begin(target);
            }
            last = use;
        }
        return use;
    }

    private TargetUse begin(ShmTarget target) {
        Destination there = new Destination(target.path, target.queueId());
        Lane lane = lanes.get(there);
        if (lane == null) {
            lane = new Lane(target.queueId(), to(target.peer));
            lanes.put(there, lane);
            lane.peer.lanes++;
            all.add(lane);
        }
        TargetUse use = new TargetUse(target, lane, this::forget);
        uses.put(target, use);
        target.use(use);
        return use;
    }

    PeerLanes to(Peer peer) {
        PeerLanes found = peers.get(peer);
        if (found == null) {
            forgetLost(); // those of which work requests were unfinished when they were lost
            found = new PeerLanes(peer);
            peers.put(peer, found);
        }
        return found;
    }

    /** Of lost peers nothing stays but what is used: a queue may outlive any number of peers. */
    void forgetLost() {
        peers.values().removeIf(PeerLanes::isOver);
    }

    /** Null for a peer to which nothing was posted. */
    @Nullable
    PeerLanes known(Peer peer) {
        return peers.get(peer);
    }

    /** The target has failed. What other imports of its queue have in flight comes back, and then starts the flow anew. */
    void targetFailed(ShmTarget target, long nowNanos) {
        TargetUse use = uses.get(target);
        if (use != null) {
            use.lane.startAnew(nowNanos);
        }
    }

    /** The target is closed: nothing stays of it here, unless work requests still name it. Takes the lock. */
    private void forget(TargetUse closed) {
        lock.acquire();
        try {
            if (closed.unfinished == 0 && uses.remove(closed.target, closed)) {
                last = null;
                closed.target.leave(closed);
                forgetUnused(closed.lane, closed.target);
            }
        } finally {
            lock.release();
        }
    }

    private void forgetUnused(Lane lane, ShmTarget closed) {
        if (uses.values().stream().noneMatch(use -> use.lane == lane)) {
            lanes.remove(new Destination(closed.path, lane.queueId));
            lane.peer.lanes--;
            all.remove(lane);
        }
    }

    /** How many imports it knows. */
    int targets() {
        return uses.size();
    }

    SendFlows<Lane> all() {
        return all;
    }

    void clear() {
        uses.values().forEach(use -> use.target.leave(use));
        uses.clear();
        lanes.clear();
        all.clear();
        last = null;
        peers.clear();
    }
}
