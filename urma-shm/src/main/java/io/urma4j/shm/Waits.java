package io.urma4j.shm;

import io.urma4j.QueueState;
import io.urma4j.Resource;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendEntry.Stage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes what the work requests of one send queue wait for: a line per target and reason. */
final class Waits {
    /** Maximum targets; a person does not read more. */
    private static final int MAX_LINES = 64;

    private static final int ID_BITS = 24;

    private final int queueId;
    private final QueueState state;
    private final Map<Reason, Integer> counts = new LinkedHashMap<>();

    private Waits(int queueId, QueueState state) {
        this.queueId = queueId;
        this.state = state;
    }

    /** What the work requests of a window wait for. Takes its lock. */
    static List<Resource> of(SendWindow window) {
        if (window.order().window().isEmpty()) { // spares the lock; a look that comes too early does no harm
            return List.of();
        }
        Waits waits = new Waits(window.queueId(), window.state());
        window.lock().acquire();
        try {
            waits.addAll(window.order().window());
        } finally {
            window.lock().release();
        }
        return waits.lines();
    }

    /** Their target, and the reason. */
    private record Reason(String target, String reason) {}

    /** Counts the work requests that are not finished. */
    private void addAll(OrderWindow<Wqe, PeerLanes> window) {
        for (long position = window.head(); position < window.end(); position++) {
            Wqe entry = window.at(position);
            if (!entry.isSettled()) {
                add(entry);
            }
        }
    }

    private void add(Wqe entry) {
        if (counts.size() < MAX_LINES) {
            counts.merge(new Reason(target(entry), reason(entry)), 1, Integer::sum);
        }
    }

    private static String target(Wqe entry) {
        if (entry.to != null) {
            return entry.to.target + " of " + entry.to.target.peer;
        }
        return entry.peer == null ? "-" : entry.peer.peer.toString();
    }

    private String reason(Wqe entry) {
        if (state != QueueState.READY) {
            return "the queue is " + state;
        }
        if (entry.stage == Stage.STARTED) {
            return "its answer";
        }
        if (entry.awaitsEvent()) {
            return "an event of a device";
        }
        if (entry.stage == Stage.COPYING) {
            return "the copy engine of its device";
        }
        Lane lane = entry.flow;
        if (lane == null) {
            return "earlier messages to the same home";
        }
        return lane.probing ? "a receive work request there" : "earlier requests, or free space in the ring";
    }

    private List<Resource> lines() {
        List<Resource> lines = new ArrayList<>();
        counts.forEach((wait, count) ->
                lines.add(Resource.builder(Resource.Kind.WAIT, ((long) queueId << ID_BITS) + lines.size())
                        .add("queue", queueId)
                        .add("wr_cnt", count)
                        .add("waits_for", wait.reason())
                        .add("of", wait.target())
                        .build()));
        return lines;
    }
}
