package io.urma4j.udma.driver;

import io.urma4j.Counters;
import io.urma4j.TransportPath;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.engine.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the connections of a context have counted, on the card and by its lock. Any thread. */
final class TransportPaths {
    private static final String UNKNOWN = "unknown";

    private TransportPaths() {}

    /** The connections that RM queues share, and those of RC Jetties; by number. */
    static List<TransportPath> of(EventLoop eventLoop, Collection<Path> paths, List<UdmaSendQueue> queues) {
        List<TransportPath> all = new ArrayList<>();
        eventLoop.run(card -> {
            for (Path path : paths) {
                ConnectionStats stats = path.isOpen() ? card.connectionStats(path.connection()) : null;
                if (stats != null) {
                    all.add(path(path.peer(), stats));
                }
            }
            for (UdmaSendQueue queue : queues) {
                ConnectionStats stats = card.ownConnectionStats(queue.handle());
                if (stats != null) {
                    all.add(ofQueue(queue, stats));
                }
            }
        });
        all.sort(Comparator.comparingLong(TransportPath::number));
        return all;
    }

    private static TransportPath path(Peer peer, ConnectionStats stats) {
        return path(peer.eid() + "/" + peer.uasid(), peer.process(), stats);
    }

    private static TransportPath ofQueue(UdmaSendQueue queue, ConnectionStats stats) {
        RcBinding binding = queue.binding();
        UdmaTarget target = binding == null ? null : binding.target();
        Path path = target == null ? null : target.path();
        if (path != null) {
            return path(path.peer(), stats);
        }
        return path(byHand(target), UNKNOWN, stats);
    }

    private static String byHand(@Nullable UdmaTarget target) {
        RoceEndpoint peer = target == null ? null : target.byHand();
        return peer == null ? UNKNOWN : peer.gid() + " QP " + peer.qpNumber();
    }

    private static TransportPath path(String peer, String process, ConnectionStats stats) {
        Counters.Builder counters = Counters.builder();
        stats.counters().forEach(one -> counters.add(one.name(), one.value()));
        return new TransportPath(
                stats.number(),
                peer,
                process.isEmpty() ? UNKNOWN : process,
                stats.isOpen() ? "READY" : "ERROR",
                counters.build());
    }
}
