package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The flows of a send queue, found by target and by peer. Guarded by the queue's lock. */
final class Flows {
    private final IdentityHashMap<ShmTarget, Lane> lanes = new IdentityHashMap<>();
    private final Map<Peer, PeerLanes> peers = new HashMap<>();
    private @Nullable Lane last; // most queues send to one target for a while

    Lane to(ShmTarget target) {
        Lane lane = last;
        if (lane == null || lane.target != target) {
            lane = lanes.get(target);
            if (lane == null) {
                lane = new Lane(target, to(target.peer));
                lane.restart = true; // an earlier life of this flow may have been held back
                lanes.put(target, lane);
                target.use(lane);
            }
            last = lane;
        }
        return lane;
    }

    PeerLanes to(Peer peer) {
        PeerLanes found = peers.get(peer);
        if (found == null) {
            found = new PeerLanes(peer);
            peers.put(peer, found);
        }
        return found;
    }

    /** The target is used no more. */
    void forget(ShmTarget target) {
        lanes.remove(target);
        last = null;
    }

    /** Nothing of them is under way any more. */
    void startAnew() {
        for (Lane lane : lanes.values()) {
            lane.restart = true;
            lane.probing = false;
            lane.rnrRounds = 0;
        }
    }

    /** What was sent to the peer is given up: its flows start anew. */
    void startAnew(Peer peer, long nowNanos) {
        for (Lane lane : lanes.values()) {
            if (lane.peer.peer.equals(peer)) {
                lane.startAnew(nowNanos);
            }
        }
    }

    /** When the earliest repetition is due; {@code Long.MAX_VALUE} when none is. */
    long nextRetryNanos() {
        long next = Long.MAX_VALUE;
        for (Lane lane : lanes.values()) {
            if (lane.probing && lane.sent == 0) {
                next = Math.min(next, lane.retryAtNanos);
            }
        }
        return next;
    }

    void clear() {
        lanes.values().forEach(lane -> lane.target.leave(lane));
        lanes.clear();
        last = null;
        peers.clear();
    }
}
