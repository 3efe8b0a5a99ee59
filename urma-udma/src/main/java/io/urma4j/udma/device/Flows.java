package io.urma4j.udma.device;

import io.urma4j.spi.support.IntTable;
import io.urma4j.spi.support.SendFlows;
import io.urma4j.udma.transport.SendWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The flows of a send queue, found by target, by queue of a peer, and by connection. */
final class Flows {
    /** In place of a target: the connection of the queue itself. */
    static final int OWN = 0;

    private final Handles<Target> targets;
    private IntTable<Flow> byTarget = new IntTable<>();
    private final Map<Destination, Flow> byQueue = new HashMap<>();
    private final SendFlows<Flow> all = new SendFlows<>();
    private final List<PeerFlow> peers = new ArrayList<>();
    private @Nullable Flow last; // most queues have one target, or use the same one several times in a row
    private int lastTarget;

    /** A queue of a peer, whichever target names it. */
    private record Destination(CardConnection link, int queue) {}

    Flows(Handles<Target> targets) {
        this.targets = targets;
    }

    /** The flow to a target, or {@link #OWN}; null when none has its handle. */
    @Nullable
    Flow to(int target) {
        Flow found = last;
        if (found == null || lastTarget != target) {
            found = byTarget.get(target);
            if (found == null) {
                found = begin(target);
            }
            last = found;
            lastTarget = target;
        }
        return found;
    }

    private @Nullable Flow begin(int handle) {
        Target target = targets.find(handle);
        if (target == null) {
            return null;
        }
        CardConnection link = target.link();
        Flow flow = link == null ? added(new Flow(target, null)) : to(target, link);
        flow.targets++;
        byTarget.put(handle, flow);
        return flow;
    }

    private Flow to(Target target, CardConnection link) {
        Destination there = new Destination(link, target.remoteQueue());
        Flow flow = byQueue.get(there);
        if (flow == null) {
            flow = added(new Flow(target, by(link)));
            byQueue.put(there, flow);
        }
        return flow;
    }

    private Flow added(Flow flow) {
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
        last = added(new Flow(new Target(link, 0, null, 0), by(link)));
        lastTarget = OWN;
    }

    boolean haveOnePeer() {
        return peers.size() == 1;
    }

    /** The target is used no more. */
    void forget(int target) {
        Flow flow = byTarget.get(target);
        if (flow != null) {
            byTarget.remove(target);
            flow.failedTargets.remove(target);
            if (--flow.targets == 0) {
                forget(flow);
            }
            last = null;
        }
    }

    private void forget(Flow unused) {
        all.remove(unused);
        CardConnection link = unused.target.link();
        if (link != null) {
            byQueue.remove(new Destination(link, unused.target.remoteQueue()));
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
        byTarget = new IntTable<>();
        byQueue.clear();
        all.clear();
        peers.clear();
        last = null;
    }
}
