package io.urma4j.internal.inspect;

import io.urma4j.AsyncEvent;
import io.urma4j.AsyncEvents;
import io.urma4j.Counters;
import io.urma4j.Jetty;
import io.urma4j.JettyGroup;
import io.urma4j.Jfc;
import io.urma4j.Jfr;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.Resource;
import io.urma4j.SegmentDescriptor;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.flight.Flight;
import io.urma4j.peer.PeerMemoryRegistry;
import io.urma4j.spi.ContextEvents;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a context tells of itself to processes that look into it, and where its provider raises events. Reads counters
 * and states as they are: threads that use the objects do not notice. Safe for any thread.
 */
public final class Inventory implements ContextEvents {
    /** Importers that are named; more are counted. */
    private static final int NAMED_IMPORTERS = 4;

    private static final int ID_BITS = 24;

    private final ClosingOrder children;
    private final AsyncEvents events;
    private final Consumer<AsyncEvent> raise;
    private final EventHistory history = new EventHistory();
    private final PerfMeter meter;
    private final Library library;
    private final long openedMillis = System.currentTimeMillis();

    /** @param raise adds an event to {@code events} */
    public Inventory(
            ClosingOrder children, AsyncEvents events, Consumer<AsyncEvent> raise, PerfMeter meter, Library library) {
        this.children = children;
        this.events = events;
        this.raise = raise;
        this.meter = meter;
        this.library = library;
    }

    @Override
    public Optional<PeerMemoryRegistry> peerMemory() {
        return library.peerMemory();
    }

    @Override
    public void measure(boolean on) {
        if (on) {
            meter.start(children.snapshot());
        } else {
            meter.stop(children.snapshot());
        }
    }

    @Override
    public void raise(AsyncEvent event) {
        AsyncEvent told = new AsyncEvent(event.type(), sourceOf(event), event.detail(), event.status());
        Flight.raised(told);
        history.add(told);
        raise.accept(told);
    }

    private Object sourceOf(AsyncEvent event) {
        for (AutoCloseable child : children.snapshot()) {
            if (event.source().equals(ApiAccess.api().providerOf(child))) {
                return child;
            }
        }
        return event.object();
    }

    @Override
    public void receiverNotReady(Object queue, Object target) {
        Flight.receiverNotReady(queue, target);
    }

    @Override
    public List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return all(kind)
                .filter(resource -> resource.id() > after)
                .sorted(Comparator.comparingLong(Resource::id))
                .limit(limit)
                .toList();
    }

    private Stream<Resource> all(Resource.Kind kind) {
        return switch (kind) {
            case CONTEXT -> Stream.of(context());
            case JFC -> children(Jfc.class, Inventory::describe);
            case JFS -> children(Jfs.class, Inventory::describe);
            case JFR -> children(Jfr.class, Inventory::describe);
            case JETTY -> children(Jetty.class, Inventory::describe);
            case SEG -> numbered(children(LocalSegment.class, Inventory::describe));
            case IMPORT -> numbered(children(RemoteSegment.class, Inventory::describe));
            case TARGET -> numbered(children(TargetJetty.class, Inventory::describe));
            case EVENT -> history.resources().stream();
            case JETTY_GROUP -> children(JettyGroup.class, Inventory::describe);
            case PERF -> meter.resources().stream();
            case POOL, POOL_CLASS, POOL_PEER, SOCKET -> described(kind);
            case PEER_CLIENT, PEER_DEVICE, PEER_REGION -> library.resources(kind).stream();
            case TP, PORT, DROPS, WAIT -> Stream.empty();
        };
    }

    /** What children tell of themselves. */
    private Stream<Resource> described(Resource.Kind kind) {
        return children.snapshot().stream()
                .filter(Inspectable.class::isInstance)
                .flatMap(child -> ((Inspectable) child).resources(kind).stream());
    }

    private <T> Stream<Resource> children(Class<T> type, Function<T, Resource> describe) {
        List<Resource> found = new ArrayList<>();
        for (AutoCloseable child : children.snapshot()) {
            if (type.isInstance(child)) {
                addIfOpen(found, () -> describe.apply(type.cast(child)));
            }
        }
        return found.stream();
    }

    private static <T> void addIfOpen(List<T> found, Supplier<T> look) {
        try {
            found.add(look.get());
        } catch (UrmaException | IllegalStateException e) {
            // it was closed while we looked at it
        }
    }

    /** Several may have the same token id: told apart by their places. */
    private static Stream<Resource> numbered(Stream<Resource> resources) {
        List<Resource> sorted =
                resources.sorted(Comparator.comparingLong(Resource::id)).toList();
        List<Resource> numbered = new ArrayList<>();
        long last = -1;
        for (Resource resource : sorted) {
            last = Math.max(last + 1, resource.id() << ID_BITS);
            numbered.add(new Resource(resource.kind(), last, resource.fields()));
        }
        return numbered.stream();
    }

    private Resource context() {
        List<AutoCloseable> all = children.snapshot();
        List<Counters> sending = new ArrayList<>(); // of the queues that are open
        List<Counters> receiving = new ArrayList<>();
        for (AutoCloseable child : all) {
            switch (child) {
                case Jfs jfs -> addIfOpen(sending, jfs::counters);
                case Jetty jetty -> addIfOpen(sending, jetty.jfs()::counters);
                case Jfr jfr -> addIfOpen(receiving, jfr::counters);
                default -> {}
            }
        }
        return Resource.builder(Resource.Kind.CONTEXT, 1)
                .add("pid", ProcessHandle.current().pid())
                .add("opened", Instant.ofEpochMilli(openedMillis))
                .add("jfc_cnt", count(all, Jfc.class))
                .add("jfs_cnt", count(all, Jfs.class))
                .add("jfr_cnt", count(all, Jfr.class))
                .add("jetty_cnt", count(all, Jetty.class))
                .add("jetty_group_cnt", count(all, JettyGroup.class))
                .add("seg_cnt", count(all, LocalSegment.class))
                .add("import_cnt", count(all, RemoteSegment.class))
                .add("target_cnt", count(all, TargetJetty.class))
                .add("tx_pkt", sum(sending, "posted"))
                .add("rx_pkt", sum(receiving, "received"))
                .add("tx_bytes", sum(sending, "postedBytes"))
                .add("rx_bytes", sum(receiving, "receivedBytes"))
                .add("tx_pkt_err", sum(sending, "failed"))
                .add("rx_pkt_err", sum(receiving, "notReady"))
                .add("events_dropped", events.dropped())
                .build();
    }

    private static long count(List<AutoCloseable> all, Class<?> type) {
        return all.stream().filter(type::isInstance).count();
    }

    /** Which counters there are is the provider's business. */
    private static long sum(List<Counters> queues, String name) {
        return queues.stream()
                .mapToLong(counters -> counters.asMap().getOrDefault(name, 0L))
                .sum();
    }

    private static Resource describe(Jfc jfc) {
        return Resource.builder(Resource.Kind.JFC, jfc.id())
                .add("jfc_id", jfc.id())
                .add("state", jfc.isValid() ? "0 [VALID]" : "1 [ERROR]")
                .add("depth", jfc.depth())
                .add(jfc.counters())
                .build();
    }

    private static Resource describe(Jfs jfs) {
        return Resource.builder(Resource.Kind.JFS, jfs.id())
                .add("jfs_id", jfs.id())
                .add("state", state(jfs.state()))
                .add("depth", jfs.depth())
                .add("jfc_id", ApiAccess.api().jfcOf(jfs).id())
                .add("trans_mode", jfs.mode())
                .add("priority", jfs.priority())
                .add(jfs.counters())
                .build();
    }

    private static Resource describe(Jfr jfr) {
        return Resource.builder(Resource.Kind.JFR, jfr.id())
                .add("jfr_id", jfr.id())
                .add("state", jfr.state().value() + " [" + jfr.state() + "]")
                .add("depth", jfr.depth())
                .add("jfc_id", ApiAccess.api().jfcOf(jfr).id())
                .add("trans_mode", jfr.descriptor().mode())
                .add(jfr.counters())
                .build();
    }

    private static Resource describe(Jetty jetty) {
        return Resource.builder(Resource.Kind.JETTY, jetty.id())
                .add("jetty_id", jetty.id())
                .add("send_jfc_id", ApiAccess.api().jfcOf(jetty.jfs()).id())
                .add("recv_jfc_id", ApiAccess.api().jfcOf(jetty.jfr()).id())
                .add("jfr_id", jetty.jfr().id())
                .add("jfs_depth", jetty.jfs().depth())
                .add("state", state(jetty.state()))
                .add("trans_mode", jetty.jfs().mode())
                .add("priority", jetty.jfs().priority())
                .add(jetty.jfs().counters())
                .build();
    }

    private static Resource describe(JettyGroup group) {
        List<Jetty> members = group.members();
        return Resource.builder(Resource.Kind.JETTY_GROUP, group.id())
                .add("jetty_group_id", group.id())
                .add("policy", group.choice())
                .add("jetty_cnt", members.size())
                .add(
                        "jetty",
                        members.stream()
                                .map(jetty -> String.valueOf(jetty.id()))
                                .collect(Collectors.joining(" ")))
                .build();
    }

    private static String state(QueueState state) {
        return state.value() + " [" + state + "]";
    }

    private static Resource describe(LocalSegment segment) {
        SegmentDescriptor descriptor = segment.descriptor();
        List<String> importers = segment.importers();
        String named = String.join("; ", importers.subList(0, Math.min(importers.size(), NAMED_IMPORTERS)));
        String more = importers.size() > NAMED_IMPORTERS ? "; …" : "";
        return Resource.builder(Resource.Kind.SEG, descriptor.tokenId())
                .add("token_id", descriptor.tokenId())
                .add("eid", descriptor.eid())
                .add("va", ApiAccess.api().placeOf(segment))
                .add("len", descriptor.lengthBytes())
                .add("access", descriptor.access())
                .add("importers_cnt", importers.size())
                .add("importers", named + more)
                .build();
    }

    private static Resource describe(RemoteSegment segment) {
        SegmentDescriptor descriptor = segment.descriptor();
        return Resource.builder(Resource.Kind.IMPORT, descriptor.tokenId())
                .add("token_id", descriptor.tokenId())
                .add("home", descriptor.eid() + "/" + descriptor.uasid())
                .add("len", segment.lengthBytes())
                .add("access", segment.access())
                .add("revoked", segment.isRevoked())
                .build();
    }

    private static Resource describe(TargetJetty target) {
        return Resource.builder(Resource.Kind.TARGET, target.id().id())
                .add("target", target.id())
                .add("type", target.descriptor().kind())
                .add("trans_mode", target.descriptor().mode())
                .build();
    }
}
