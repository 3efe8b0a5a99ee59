package io.urma4j.udma.device;

import io.urma4j.spi.support.SendFlows;
import io.urma4j.udma.transport.SendWork;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The flows of a send queue, found by target and by connection. */
final class Flows {
    /** In place of a target: the connection of the queue itself. */
    static final int OWN = 0;

    private final Handles<Target> targets;
    private final WireNumbers<Flow> byTarget = new WireNumbers<>(1, Integer.MAX_VALUE);
    private final SendFlows<Flow> all = new SendFlows<>();
    private final List<PeerFlow> peers = new ArrayList<>();
    private @Nullable Flow last; // most queues have one target, or use the same one several times in a row

    Flows(Handles<Target> targets) {
        this.targets = targets;
    }

    /** The flow to a target, or {@link #OWN}; null when none has its handle. */
    @Nullable
    Flow to(int target) {
        Flow found = last;
        if (found == null || found.handle != target) {
            found = byTarget.get(target);
            if (found == null) {
                found = begin(target);
            }
            last = found;
        }
        return found;
    }

    private @Nullable Flow begin(int handle) {
        Target target = targets.find(handle);
        if (target == null) {
            return null;
        }
        Flow flow = new Flow(handle, target, target.link() == null ? null : by(target.link()));
        byTarget.put(handle, flow);
        all.add(flow);
        return flow;
    }

    private PeerFlow by(CardConnection link) {
        PeerFlow peer = known(link);
        if (peer == null) {
            peer = new PeerFlow(link);
            peers.add(peer);
        }
        return peer;
    }

    /** Null when nothing was posted for that connection. */
    @Nullable
    PeerFlow known(CardConnection link) {
        for (PeerFlow peer : peers) {
            if (peer.link == link) {
                return peer;
            }
        }
        return null;
    }

    /** The only flow of a connected queue begins. */
    void own(CardConnection link) {
        clear();
        Flow flow = new Flow(OWN, new Target(link, 0, null, 0), by(link));
        all.add(flow);
        last = flow;
    }

    boolean haveOnePeer() {
        return peers.size() == 1;
    }

    /** The target is used no more. */
    void forget(int target) {
        Flow flow = byTarget.get(target);
        if (flow != null) {
            byTarget.remove(target);
            all.remove(flow);
            last = null;
        }
    }

    /** The connection is used no more, nor are its targets. */
    void forget(CardConnection link) {
        peers.removeIf(peer -> peer.link == link);
    }

    /** Has connections forget what was started for the queue. */
    void abandonAll(SendWork queue, long nowNanos) {
        for (PeerFlow peer : peers) {
            peer.link.abandon(queue, nowNanos);
        }
    }

    /** Nothing of them is in flight any more. */
    void startAnew(long nowNanos) {
        all.all().forEach(flow -> flow.startAnew(nowNanos));
    }

    /** What was sent to that peer is given up: its flows start anew. */
    void startAnew(PeerFlow peer, long nowNanos) {
        all.startAnew(peer, nowNanos);
    }

    /** When the earliest retransmission is due; {@code Long.MAX_VALUE} when none is. */
    long nextRetryNanos(long nowNanos) {
        return all.nextRetryNanos(nowNanos);
    }

    void clear() {
        all.all().forEach(flow -> byTarget.remove(flow.handle));
        all.clear();
        peers.clear();
        last = null;
    }
}
