package io.urma4j.shm;

import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.ContextOptions;
import io.urma4j.ContextView;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.OrderType;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.TransportPath;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.Complaints;
import io.urma4j.shm.control.ControlPlane;
import io.urma4j.shm.control.DataPlane;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.QueueAnswer;
import io.urma4j.shm.control.QueueGrant;
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
import io.urma4j.spi.support.IntTable;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An address space: its queues and its paths to peers. The {@link ControlPlane} handles agreements with peers by messages;
 * {@link Progress} decides which thread drives what.
 */
final class ShmContext implements ProviderContext, DataPlane {
    private static final System.Logger LOG = System.getLogger(ShmContext.class.getName());
    private static final Complaints COMPLAINTS = new Complaints(LOG);

    private static final String KIND = "shm";

    private final Eid eid;
    private final ContextEvents events;
    private final ControlPlane control;
    private final Progress progress;
    private final IdSpace jfcIds = new IdSpace("JFC", JettyId.MAX);
    private final IdSpace queueIds = new IdSpace("queue", JettyId.MAX);
    private final IntTable<Inbound> inbound = new IntTable<>();
    private final IntTable<ShmJettyGroup> groups = new IntTable<>();
    private final CopyOnWriteArrayList<ShmJettyGroup> openGroups = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<ShmJfc> moderatedJfcs = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<ShmSendQueue> sendQueues = new CopyOnWriteArrayList<>();
    private final Map<Peer, MessagePath> pathOf = new ConcurrentHashMap<>();
    private final AtomicInteger waitingQueues = new AtomicInteger();
    private final AtomicInteger armedJfcs = new AtomicInteger();

    ShmContext(UrmaOptions options, Eid eid, ContextOptions contextOptions, ContextEvents events) {
        this.eid = eid;
        this.events = events;
        Failures.prepare();
        this.progress = new Progress(sendQueues, waitingQueues, armedJfcs, this::wakeEngine);
        this.control = ControlPlane.open(options, eid, contextOptions, RingLayout.BYTES, events, this);
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

    ControlPlane control() {
        return control;
    }

    void raise(AsyncEvent.Type type, Object source, String detail) {
        raise(new AsyncEvent(type, source, detail));
    }

    void raise(AsyncEvent event) {
        events.raise(event);
    }

    void receiverNotReady(ShmSendQueue queue, ShmTarget target) {
        events.receiverNotReady(queue, target);
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
        ShmJfc jfc = new ShmJfc(this, jfcIds.take(0), config, onEvent);
        if (jfc.isModerated()) {
            moderatedJfcs.add(jfc);
        }
        return jfc;
    }

    @Override
    public ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc) {
        int id = queueIds.take(config.id());
        ShmReceiveQueue queue = new ShmReceiveQueue(this, id, config, (ShmJfc) jfc);
        inbound.put(id, Inbound.of(queue));
        return queue;
    }

    @Override
    public ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc) {
        int id = queueIds.take(config.id());
        ShmReceiveQueue mine = (ShmReceiveQueue) receives;
        ShmSendQueue queue = new ShmSendQueue(this, id, config, (ShmJfc) jfc, mine);
        if (mine != null) {
            inbound.put(
                    id, receiveJfc == null ? Inbound.of(queue, mine) : queue.receivesInto((ShmJfc) receiveJfc, mine));
        }
        sendQueues.add(queue);
        return queue;
    }

    @Override
    public ProviderJettyGroup createJettyGroup(JettyGroupConfig config) {
        int id = queueIds.take(config.id());
        ShmJettyGroup group = new ShmJettyGroup(this, id, config);
        groups.put(id, group);
        openGroups.add(group);
        return group;
    }

    /** The group with this number; null if there is none. */
    @Nullable
    ShmJettyGroup group(int groupId) {
        return groups.get(groupId);
    }

    void memberFailed(ShmSendQueue jetty) {
        openGroups.forEach(group -> group.memberFailed(jetty));
    }

    void forget(ShmJettyGroup group) {
        openGroups.remove(group);
        groups.remove(group.id());
        queueIds.give(group.id());
    }

    void forget(ShmSendQueue queue) {
        sendQueues.remove(queue);
        inbound.remove(queue.id());
        queueIds.give(queue.id());
    }

    void forget(ShmReceiveQueue queue) {
        inbound.remove(queue.id());
        queueIds.give(queue.id());
    }

    /** A receiver is closed: waits for the thread that delivers to it, and ends partial messages. */
    void abandonReceives(Predicate<Inbound> closed) {
        for (MessagePath path : pathOf.values()) {
            path.abandon(closed);
        }
    }

    void forget(ShmJfc jfc) {
        moderatedJfcs.remove(jfc);
        jfcIds.give(jfc.id());
    }

    /** The receiver of messages for this number; null if it is unknown. */
    @Nullable
    Inbound inbound(int queueId) {
        return inbound.get(queueId);
    }

    JettyDescriptor describe(
            int id, JettyDescriptor.Kind kind, TransportMode mode, OrderType orderType, TokenPolicy policy) {
        return new JettyDescriptor(
                new JettyId(eid, uasid(), id),
                kind,
                incarnation(),
                mode,
                orderType.effective(mode),
                policy,
                List.of(new Endpoint(KIND, control.address(), id, 0, false)));
    }

    @Override
    public CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        return control.importQueue(descriptor, token, timeout).thenApply(grant -> targetOf(descriptor, grant));
    }

    private ShmTarget targetOf(JettyDescriptor descriptor, QueueGrant grant) {
        MessagePath path = pathOf.get(grant.peer());
        if (path == null) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, descriptor.id(), "its home has just closed or ended");
        }
        return new ShmTarget(descriptor, grant.peer(), path);
    }

    CompletableFuture<UrmaStatus> bind(ShmTarget target, ShmSendQueue queue, Duration timeout) {
        return control.bind(
                target.peer, queue.id(), target.queueId(), queue.orderType().value(), timeout);
    }

    CompletableFuture<Void> unbind(ShmTarget target, ShmSendQueue queue, Duration timeout) {
        return control.unbind(target.peer, queue.id(), target.queueId(), timeout)
                .handle((status, failure) -> null); // a peer that is gone is unbound as well
    }

    // ---- progress

    AtomicInteger waitingQueues() {
        return waitingQueues;
    }

    /** How many JFCs are armed: threads wait for their events. */
    AtomicInteger armedJfcs() {
        return armedJfcs;
    }

    void wakeEngine() {
        control.wakeEngine();
    }

    /** Makes the engine do something soon: for callers that must not wait for a lock. */
    void later(Runnable task) {
        later.add(task);
        wakeEngine();
    }

    /** A thread polls: processes arrivals, and starts waiting requests. */
    void progress() {
        progress.poll();
    }

    /** A thread is about to wait: arrivals must wake the engine from now on, at once. */
    void wakeOnArrival() {
        progress.prepareWait();
    }

    // ---- what the control plane asks; on the engine's thread

    @Override
    public QueueAnswer queueRequested(
            Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken) {
        if (kind == JettyDescriptor.Kind.GROUP) {
            return groupRequested(queueId, tokenValue, hasToken);
        }
        Inbound wanted = inbound.get(queueId);
        boolean isJetty = kind == JettyDescriptor.Kind.JETTY;
        if (wanted == null || isJetty != (wanted.jetty() != null)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        JfrConfig config = wanted.receives().config();
        if (!opens(config.policy(), config.token(), tokenValue, hasToken)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        ShmSendQueue jetty = wanted.jetty();
        if (jetty != null && jetty.isRc()) {
            jetty.binding().imported(from);
        }
        return QueueAnswer.granted(config.mode(), config.orderType().effective(config.mode()), 0);
    }

    private QueueAnswer groupRequested(int groupId, int tokenValue, boolean hasToken) {
        ShmJettyGroup group = groups.get(groupId);
        if (group == null || !opens(group.config().policy(), group.config().token(), tokenValue, hasToken)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        return QueueAnswer.granted(TransportMode.RM, OrderType.DEF.effective(TransportMode.RM), 0);
    }

    private static boolean opens(TokenPolicy policy, Token token, int value, boolean hasToken) {
        return policy == TokenPolicy.NONE || (hasToken && token.equals(Token.of(value)));
    }

    @Override
    public List<Resource> resources(Resource.Kind kind, long after, int limit) {
        Stream<Resource> all = switch (kind) {
            case TP -> paths().stream().map(TransportPath::toResource);
            case WAIT -> sendQueues.stream().flatMap(queue -> queue.describeWaits().stream());
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
        Inbound wanted = inbound.get(localId);
        if (wanted == null || wanted.jetty() == null) {
            return UrmaStatus.EINVAL;
        }
        ShmSendQueue jetty = wanted.jetty();
        if (!jetty.isRc() || jetty.orderType().value() != orderType) {
            return UrmaStatus.ENOPERM;
        }
        return jetty.binding().requested(from, remoteId);
    }

    @Override
    public void unbindRequested(Peer from, int localId, int remoteId) {
        Inbound wanted = inbound.get(localId);
        if (wanted != null && wanted.jetty() != null) {
            wanted.jetty().binding().unrequested(from, remoteId);
        }
    }

    @Override
    public void pathOpened(Peer peer, PathMemory memory) {
        MessagePath path = new MessagePath(this, peer, memory);
        pathOf.put(peer, path);
        progress.add(path);
    }

    @Override
    public void peerLost(Peer peer, String why, boolean proven) {
        MessagePath path = pathOf.remove(peer);
        if (path != null) {
            progress.remove(path);
            path.die();
        }
        for (ShmSendQueue queue : sendQueues) {
            queue.binding().peerLost(peer);
            queue.peerLost(peer);
        }
        raise(AsyncEvent.Type.PEER_LOST, peer.toString(), why);
    }

    /** The peer put something impossible into its ring: it is cut off. */
    void broken(MessagePath path, String why) {
        COMPLAINTS.log(() -> this + " gives up " + path + ": " + why);
        control.cutOff(path.peer(), why);
    }

    @Override
    public long turn(long nowNanos) {
        for (Runnable task = later.poll(); task != null; task = later.poll()) {
            task.run();
        }
        long next = progress.turn(nowNanos);
        for (ShmJfc jfc : moderatedJfcs) {
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
