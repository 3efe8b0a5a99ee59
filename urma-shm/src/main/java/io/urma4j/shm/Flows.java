package io.urma4j.shm;

import io.urma4j.shm.control.Peer;
import io.urma4j.spi.support.SendFlows;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The flows of a send queue, found by target and by peer. Guarded by the queue's lock. */
final class Flows {
    private final IdentityHashMap<ShmTarget, Lane> lanes = new IdentityHashMap<>();
    private final SendFlows<Lane> all = new SendFlows<>();
    private final Map<Peer, PeerLanes> peers = new HashMap<>();
    private @Nullable Lane last; // most queues send to one target for a while

    Lane to(ShmTarget target) {
        Lane lane = last;
        if (lane == null || lane.target != target) {
            lane = lanes.get(target);
            if (lane == null) {
                lane = new Lane(target, to(target.peer));
                lanes.put(target, lane);
                all.add(lane);
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

    /** Null for a peer to which nothing was posted. */
    @Nullable
    PeerLanes known(Peer peer) {
        return peers.get(peer);
    }

    /** The target is used no more. */
    void forget(ShmTarget target) {
        Lane lane = lanes.remove(target);
        if (lane != null) {
            all.remove(lane);
        }
        last = null;
    }

    SendFlows<Lane> all() {
        return all;
    }

    void clear() {
        lanes.values().forEach(lane -> lane.target.leave(lane));
        lanes.clear();
        all.clear();
        last = null;
        peers.clear();
    }
}
