package io.urma4j.udma.driver;

import io.urma4j.Counters;
import io.urma4j.Resource;
import io.urma4j.TransportPath;
import io.urma4j.spi.ContextEvents;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.FragmentStats;
import io.urma4j.udma.command.NoticeStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.udp.PortCounters;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.udp.UdpPort;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an inspection shows of a context: what the core knows of it, and what its card has counted. Any thread. */
final class Resources {
    private static final String UNKNOWN = "unknown";
    private static final int ID_BITS = 24;
    private static final long THE_PORT = 1; // a device has one

    private final Adapter adapter;
    private final Peers peers;
    private final Queues queues;
    private final ContextEvents events;

    Resources(Adapter adapter, Peers peers, Queues queues, ContextEvents events) {
        this.adapter = adapter;
        this.peers = peers;
        this.queues = queues;
        this.events = events;
    }

    /** Some of a kind, with numbers above {@code after}. */
    List<Resource> list(Resource.Kind kind, long after, int limit) {
        return switch (kind) {
            case TP ->
                paths().stream()
                        .filter(path -> path.number() > after)
                        .limit(limit)
                        .map(TransportPath::toResource)
                        .toList();
            case WAIT -> waits(after, limit);
            case PORT -> after < THE_PORT ? List.of(port()) : List.of();
            case DROPS -> after < THE_PORT ? List.of(drops()) : List.of();
            default -> events.resources(kind, after, limit);
        };
    }

    private Resource port() {
        UdpPort port = adapter.port();
        PortCounters counters = port.counters();
        FragmentStats fragments = adapter.eventLoop().call(CardCommands::fragments);
        NoticeStats notices = adapter.eventLoop().call(CardCommands::notices);
        return Resource.builder(Resource.Kind.PORT, THE_PORT)
                .add("strangers", port.strangersNote().isEmpty() ? "apart" : "together")
                .add("ecn", port.ecnNote().isEmpty() ? "on" : "off")
                .add("rx_strangers", counters.count(Counter.RECEIVED_FROM_STRANGERS))
                .add("rx_marked", counters.count(Counter.RECEIVED_MARKED))
                .add("rx_fragments", fragments.received())
                .add("rx_errors", counters.count(Counter.RECEIVE_ERRORS))
                .add("tx_gathered", counters.count(Counter.SENT_GATHERED))
                .add("tx_spliced", port.spliced())
                .add("tx_fragments", fragments.sent())
                .add("tx_not_sent", counters.notSent())
                .add("tx_narrowed", counters.count(Counter.SEND_NARROWED))
                .add("tx_blocked", counters.count(Counter.SEND_BLOCKED))
                .add("cnp_sent", notices.sent())
                .add("cnp_handled", notices.handled())
                .build();
    }

    private Resource drops() {
        UdpPort port = adapter.port();
        PortCounters counters = port.counters();
        return Resource.builder(Resource.Kind.DROPS, THE_PORT)
                .add("drop_peers", port.droppedByKernel())
                .add("drop_strangers", port.droppedOfStrangers())
                .add("drop_nobody", adapter.eventLoop().call(CardCommands::dropped))
                .add("drop_no_secret", counters.droppedForNoSecret())
                .add("drop_again", adapter.droppedAgain())
                .add("drop_icrc", counters.droppedForIcrc())
                .add("drop_partition", counters.droppedForPartition())
                .add("drop_malformed", counters.droppedAsMalformed())
                .add("drop_on_purpose", counters.droppedOnPurpose())
                .build();
    }

    // ---- connections

    /** The connections that RM queues share, and those of RC Jetties; by number. */
    List<TransportPath> paths() {
        List<TransportPath> all = new ArrayList<>();
        adapter.eventLoop().run(card -> {
            for (Path path : peers.paths()) {
                ConnectionStats stats = path.isOpen() ? card.connectionStats(path.connection()) : null;
                if (stats != null) {
                    all.add(path(path.peer(), stats));
                }
            }
            for (UdmaSendQueue queue : queues.sendQueues()) {
                ConnectionStats stats = queue.ownConnection(card);
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

    // ---- what work requests wait for

    /** What work requests wait for, with ids above {@code after}: a line per queue, target and reason. */
    private List<Resource> waits(long after, int limit) {
        List<Resource> lines = new ArrayList<>();
        for (UdmaSendQueue queue : queues.sendQueues()) {
            long id = (long) queue.id() << ID_BITS;
            for (SendWait wait : queue.waits()) {
                if (id > after && lines.size() < limit) {
                    lines.add(line(id, queue, wait, peers.nameOf(wait.peer())));
                }
                id++;
            }
        }
        return lines;
    }

    private static Resource line(long id, UdmaSendQueue queue, SendWait wait, String peer) {
        return Resource.builder(Resource.Kind.WAIT, id)
                .add("queue", queue.id())
                .add("wr_cnt", wait.count())
                .add("waits_for", reason(queue, wait.reason()))
                .add("of", wait.remoteQueue() == 0 ? peer : "queue " + wait.remoteQueue() + " of " + peer)
                .build();
    }

    private static String reason(UdmaSendQueue queue, SendWait.Reason reason) {
        return switch (reason) {
            case STATE -> "the queue is " + queue.state();
            case ANSWER -> "its answer";
            case EVENT -> "an event of a device";
            case RECEIVER -> "a receive work request there";
            case ORDER -> "earlier messages to the same home";
            case TURN -> "earlier requests, or free space on the connection";
        };
    }
}
