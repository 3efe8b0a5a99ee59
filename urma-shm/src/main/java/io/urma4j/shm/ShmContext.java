package io.urma4j.shm;

import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.ContextOptions;
import io.urma4j.ContextView;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TransportMode;
import io.urma4j.TransportPath;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.bounce.BounceServer;
import io.urma4j.shm.control.ControlPlane;
import io.urma4j.shm.control.DataPlane;
import io.urma4j.shm.control.LimitedWarnings;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.QueueAnswer;
import io.urma4j.shm.memory.Failures;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.support.IdSpace;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An address space: its queues and its paths to peers. The {@link ControlPlane} handles agreements with peers by messages;
 * {@link Progress} decides which thread drives what.
 */
final class ShmContext implements ProviderContext, DataPlane {
    private static final System.Logger LOG = System.getLogger(ShmContext.class.getName());
    private static final LimitedWarnings WARNINGS = new LimitedWarnings(LOG);

    private final Eid eid;
    private final ContextEvents events;
    private final ControlPlane control;
    private final LocalContext local;
    private final Demand demand = new Demand(this::wakeEngine);
    private final Progress progress = new Progress(demand);
    private final Receivers receivers = new Receivers();
    private final IdSpace jfcIds = new IdSpace("JFC", JettyId.MAX);
    private final IdSpace queueIds = new IdSpace("queue", JettyId.MAX);
    private final CopyOnWriteArrayList<JfcRecords> moderatedJfcs = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<ShmSendQueue> sendQueues = new CopyOnWriteArrayList<>();
    private final Map<Peer, MessagePath> pathOf = new ConcurrentHashMap<>();
    private final Set<MessagePath> ending = ConcurrentHashMap.newKeySet(); // of lost peers, until they move no bytes

    ShmContext(UrmaOptions options, Eid eid, ContextOptions contextOptions, ContextEvents events) {
        this.eid = eid;
        this.events = events;
        Failures.prepare();
        this.control = ControlPlane.open(options, eid, contextOptions, RingLayout.BYTES, events, this);
        this.local = new LocalContext(eid, control, events);
    }

    private void wakeEngine() {
        control.wakeEngine();
    }

    // ---- what a context is

    @Override
    public Eid eid() {
        return eid;
    }

    @Override
    public int uasid() {
        return control.uasid();
    }

    @Override
    public long incarnation() {
        return control.incarnation();
    }

    // ---- memory

    @Override
    public ProviderMemory allocate(long lengthBytes, AllocOptions options) {
        return ShmMemory.allocate(lengthBytes, options, "urma:" + uasid());
    }

    @Override
    public int allocateTokenId() {
        return control.allocateTokenId();
    }

    @Override
    public void freeTokenId(int tokenId) {
        control.freeTokenId(tokenId);
    }

    @Override
    public CompletableFuture<ProviderSegment> register(SegmentRequest request) {
        return control.register(request);
    }

    @Override
    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        return control.importSegment(request);
    }

    @Override
    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        return control.lookup(name, timeout);
    }

    @Override
    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        return control.published(timeout);
    }

    @Override
    public CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        return control.inspect(kinds, timeout);
    }

    @Override
    public CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        return control.measure(on, pid, timeout);
    }

    // ---- queues

    @Override
    public ProviderJfc createJfc(JfcConfig config, Runnable onEvent) {
        ShmJfc jfc = new ShmJfc(local, jfcIds.take(0), config, progress, demand, onEvent, this::closed);
        if (jfc.records().isModerated()) {
            moderatedJfcs.add(jfc.records());
        }
        return jfc;
    }

    private void closed(ShmJfc jfc) {
        moderatedJfcs.remove(jfc.records());
        jfcIds.give(jfc.id());
    }

    @Override
    public ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc) {
        JfcRecords records = ((ShmJfc) jfc).records();
        ShmReceiveQueue queue = made(config.id(), id -> new ShmReceiveQueue(local, id, config, records, this::closed));
        if (config.mode() != TransportMode.RC) { // else Jetties alone receive by it (S5.4)
            receivers.add(Inbound.of(queue));
        }
        return queue;
    }

    private void closed(ShmReceiveQueue queue) {
        abandonReceives(inbound -> inbound.receives() == queue);
        queue.jfc().detach(queue.ownerIndex());
        receivers.remove(queue.id());
        queueIds.give(queue.id());
    }

    @Override
    public ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc) {
        ShmReceiveQueue mine = (ShmReceiveQueue) receives;
        JfcRecords records = ((ShmJfc) jfc).records();
        ShmSendQueue queue = made(
                config.id(),
                id -> new ShmSendQueue(local, control, demand, receivers, id, config, records, mine, this::closed));
        if (mine != null) {
            receivers.add(receiver(queue, mine, (ShmJfc) receiveJfc));
        }
        sendQueues.add(queue);
        progress.windows().add(queue.window());
        return queue;
    }

    /** A queue with that id, or with any for 0; a refusal gives the id back (S2.2). */
    private <T> T made(int wanted, IntFunction<T> make) {
        int id = queueIds.take(wanted);
        try {
            return make.apply(id);
        } catch (RuntimeException e) {
            queueIds.give(id);
            throw e;
        }
    }

    /**
     * A Jetty, whose receive records go where its JFR's go, or to its own JFC (S5.3). When that one overflows, the Jetty goes
     * to ERROR; but later, on the engine's thread: the caller has the JFC's lock, and must not wait for the Jetty's.
     */
    private Inbound receiver(ShmSendQueue jetty, ShmReceiveQueue mine, @Nullable ShmJfc own) {
        if (own == null) {
            return jetty.inbound(mine, mine.jfc(), mine.ownerIndex());
        }
        JfcRecords records = own.records();
        int index = records.attach(() -> demand.later(jetty.window()::fail));
        return jetty.inbound(mine, records, index);
    }

    private void closed(ShmSendQueue queue) {
        progress.windows().remove(queue.window());
        sendQueues.remove(queue);
        Inbound inbound = receivers.get(queue.id());
        receivers.remove(queue.id());
        if (inbound != null) {
            abandonReceives(inbound::equals);
            if (inbound.hasOwnRecords()) {
                inbound.jfc().detach(inbound.ownerIndex());
            }
        }
        queueIds.give(queue.id());
    }

    @Override
    public ProviderJettyGroup createJettyGroup(JettyGroupConfig config) {
        ShmJettyGroup group = new ShmJettyGroup(local, receivers, queueIds.take(config.id()), config, this::closed);
        receivers.add(group);
        return group;
    }

    private void closed(ShmJettyGroup group) {
        receivers.remove(group);
        queueIds.give(group.id());
    }

    /** A receiver is closed: waits for the thread that delivers to it, and ends partial messages. */
    private void abandonReceives(Predicate<Inbound> closed) {
        pathOf.values().forEach(path -> path.abandon(closed));
        ending.forEach(path -> path.abandon(closed)); // second: a path enters these before it leaves those
    }

    @Override
    public CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        return control.importQueue(descriptor, token, timeout).thenApply(home -> targetOf(descriptor, home));
    }

    private ShmTarget targetOf(JettyDescriptor descriptor, Peer home) {
        MessagePath path = pathOf.get(home);
        if (path == null) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, descriptor.id(), "its home has just closed or ended");
        }
        return new ShmTarget(descriptor, home, path.out());
    }

    // ---- what the control plane asks; on the engine's thread

    @Override
    public QueueAnswer queueRequested(
            Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken) {
        return receivers.queueRequested(from, queueId, kind, tokenValue, hasToken);
    }

    @Override
    public List<Resource> resources(Resource.Kind kind, long after, int limit) {
        Stream<Resource> all = switch (kind) {
            case TP -> paths().stream().map(TransportPath::toResource);
            case WAIT -> sendQueues.stream().flatMap(queue -> Waits.of(queue.window()).stream());
            default -> Stream.empty();
        };
        return all.filter(resource -> resource.id() > after)
                .sorted(Comparator.comparingLong(Resource::id))
                .limit(limit)
                .toList();
    }

    @Override
    public List<TransportPath> paths() {
        return pathOf.values().stream()
                .map(MessagePath::counted)
                .sorted(Comparator.comparingLong(TransportPath::number))
                .toList();
    }

    @Override
    public UrmaStatus bindRequested(Peer from, int localId, int remoteId, int orderType) {
        return receivers.bindRequested(from, localId, remoteId, orderType);
    }

    @Override
    public void unbindRequested(Peer from, int localId, int remoteId) {
        receivers.unbindRequested(from, localId, remoteId);
    }

    @Override
    public void pathOpened(Peer peer, PathMemory memory) {
        MessagePath path = new MessagePath(
                peer, memory, receivers, tokenId -> control.invalidate(peer, tokenId), this::filled, this::broken);
        pathOf.put(peer, path);
        progress.add(path);
    }

    @Override
    public boolean request(Peer to, MemorySegment request) {
        MessagePath path = pathOf.get(to);
        if (path == null || path.out().isDead()) {
            return false;
        }
        if (path.out().request(request)) {
            return true;
        }
        path.out().reap(true); // answers make room
        return false;
    }

    @Override
    public BounceServer.Rings rings() {
        return progress;
    }

    @Override
    public void pathUndone(Peer peer) {
        MessagePath path = pathOf.get(peer);
        if (path != null) {
            ending.add(path); // first: a receiver that is closed meanwhile finds it here or there
            pathOf.remove(peer);
            progress.remove(path);
            path.die();
            forgetIfOver(path);
        }
    }

    /** A copy into device memory has ended. Any thread. */
    private void filled(MessagePath path) {
        forgetIfOver(path);
        demand.wakeEngine();
    }

    private void forgetIfOver(MessagePath path) {
        if (path.isOver()) {
            ending.remove(path);
        }
    }

    @Override
    public void peerLost(Peer peer, String why, boolean proven) {
        pathUndone(peer);
        for (ShmSendQueue queue : sendQueues) {
            queue.binding().requests().peerLost(peer);
            queue.window().peerLost(peer);
        }
        events.raise(new AsyncEvent(AsyncEvent.Type.PEER_LOST, peer.toString(), why));
    }

    /** The peer put something impossible into its ring: it is cut off. */
    private void broken(MessagePath path, String why) {
        WARNINGS.log(() -> this + " gives up " + path + ": " + why);
        control.cutOff(path.peer(), why);
    }

    @Override
    public long turn(long nowNanos) {
        demand.runTasks();
        long next = progress.turn(nowNanos);
        for (JfcRecords jfc : moderatedJfcs) {
            next = Math.min(next, jfc.moderate(nowNanos));
        }
        return next;
    }

    @Override
    public CompletableFuture<Void> close(Duration timeout) {
        return control.close(timeout).whenComplete((done, failure) -> {
            for (MessagePath path : pathOf.values()) {
                progress.remove(path);
                path.die();
            }
            pathOf.clear();
        });
    }

    @Override
    public String toString() {
        return "shm context " + uasid();
    }
}
