package io.urma4j.udma.driver;

import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
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
import io.urma4j.libc.LockFile;
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
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Names;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.RefusalEvents;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.control.ConnectionEnd;
import io.urma4j.udma.control.ControlPlane;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.control.PeerEvents;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PortAddress;
import io.urma4j.udma.engine.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An address space on a network device. Agreements with peers run on the engine's thread; queues and segments are for any
 * thread.
 */
final class UdmaContext implements ProviderContext, PeerEvents {
    private static final String PID = "pid ";

    private final UdmaDevice device;
    private final Adapter adapter;
    private final ContextEvents events;
    private final HostDirectory directory;
    private final HostDirectory.Place place;
    private final LockFile lock;
    private final ControlPlane plane;
    private final EngineThread.Turn turn;
    private final BiConsumer<AsyncEvent.Type, String> portListener;
    private final Exports exports;
    private final Imports imports;
    private final Names names;
    private final Inspector inspector;
    private final Serving serving;
    private final RefusalEvents refusals;
    private final Queues queues;
    private final Map<Integer, Importable> importables = new ConcurrentHashMap<>();
    private final Map<Peer, Path> paths = new ConcurrentHashMap<>(); // the engine's thread writes
    private @Nullable CompletableFuture<Void> closing; // guarded by this
    private volatile boolean isClosing;

    private UdmaContext(
            UdmaDevice device,
            Adapter adapter,
            ContextEvents events,
            HostDirectory directory,
            long incarnation,
            HostDirectory.Uasid uasid) {
        this.device = device;
        this.adapter = adapter;
        this.events = events;
        this.directory = directory;
        this.lock = uasid.file();
        this.place = new HostDirectory.Place(adapter.address(), incarnation, uasid.number());
        this.queues = new Queues(this);
        this.exports = new Exports(this, adapter);
        this.imports = new Imports(this, adapter);
        this.serving = new Serving(this, adapter, events);
        Neighbours neighbours = new Neighbours(this, directory);
        this.names = new Names(adapter.engine(), neighbours);
        this.inspector = new Inspector(adapter.engine(), neighbours::others);
        this.refusals = new RefusalEvents(events, adapter.nanos());
        this.plane = new ControlPlane(
                adapter.control(),
                ControlPlane.hello(adapter.address(), uasid.number(), incarnation, processText()),
                this,
                adapter.random(),
                adapter.nanos());
        this.turn = plane::run;
        this.portListener = (type, detail) -> raise(type, "port 1 of " + device.name(), detail);
    }

    /**
     * Opens it: creates its file, and listens.
     *
     * @throws UrmaException ENOPERM if other users can access the runtime directory
     */
    static UdmaContext open(UdmaDevice device, Adapter adapter, UrmaOptions options, ContextEvents events) {
        HostDirectory directory = HostDirectory.open(options);
        try {
            long incarnation;
            do {
                incarnation = adapter.random().nextLong();
            } while (incarnation == 0); // that means none
            long mine = incarnation;
            HostDirectory.Uasid uasid = directory.takeUasid(adapter.address(), mine, adapter.random());
            return adapter.engine()
                    .ask(() -> {
                        UdmaContext made = new UdmaContext(device, adapter, events, directory, mine, uasid);
                        adapter.engine().add(made.turn);
                        adapter.watch().add(made.portListener);
                        return CompletableFuture.completedFuture(made);
                    })
                    .join();
        } catch (RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    // ---- what a context is

    @Override
    public Eid eid() {
        return adapter.eid();
    }

    @Override
    public int uasid() {
        return place.uasid();
    }

    @Override
    public long incarnation() {
        return place.incarnation();
    }

    Adapter adapter() {
        return adapter;
    }

    EventLoop eventLoop() {
        return adapter.eventLoop();
    }

    ControlPlane plane() {
        return plane;
    }

    Exports exports() {
        return exports;
    }

    Imports imports() {
        return imports;
    }

    HostDirectory directory() {
        return directory;
    }

    /** Its address. */
    HostDirectory.Place place() {
        return place;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** The deadline of a timeout that starts now, in the control plane's time. */
    long deadline(Duration timeout) {
        return adapter.engine().deadline(timeout);
    }

    void raise(AsyncEvent.Type type, Object source, String detail) {
        raise(new AsyncEvent(type, source, detail));
    }

    void raise(AsyncEvent event) {
        events.raise(event);
    }

    void receiverNotReady(Object queue, Object target) {
        events.receiverNotReady(queue, target);
    }

    void importRefused(String what, Path from) {
        refusals.refused(what, from.peer(), adapter.nanos());
    }

    // ---- memory

    @Override
    public ProviderMemory allocate(long lengthBytes, AllocOptions options) {
        return UdmaMemory.allocate(lengthBytes, options);
    }

    @Override
    public int allocateTokenId() {
        return exports.segments().allocate();
    }

    @Override
    public void freeTokenId(int tokenId) {
        exports.segments().free(tokenId);
    }

    @Override
    public CompletableFuture<ProviderSegment> register(SegmentRequest request) {
        try {
            return CompletableFuture.completedFuture(exports.register(request));
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        try {
            return imports.importSegment(request);
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        return names.lookup(name, timeout);
    }

    @Override
    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        return names.published(timeout);
    }

    @Override
    public CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        return inspector.inspect(kinds, timeout);
    }

    @Override
    public CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        return inspector.measure(on, pid, timeout);
    }

    // ---- queues

    @Override
    public ProviderJfc createJfc(JfcConfig config, Runnable onEvent) {
        return queues.createJfc(config, onEvent);
    }

    @Override
    public ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc) {
        return queues.createReceiveQueue(config, jfc);
    }

    @Override
    public ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc) {
        return queues.createSendQueue(config, jfc, receives, receiveJfc);
    }

    @Override
    public ProviderJettyGroup createJettyGroup(JettyGroupConfig config) {
        return queues.createJettyGroup(config);
    }

    Queues queues() {
        return queues;
    }

    /** Peers can import that queue from now on. */
    void announce(int number, Importable queue) {
        importables.put(number, queue);
    }

    /** Not any more. */
    void withdraw(int number) {
        importables.remove(number);
    }

    @Nullable
    Importable importable(int number) {
        return importables.get(number);
    }

    /**
     * What peers need to send to a queue, except the token.
     *
     * @param id as applications see it
     * @param number of its QP
     * @param firstPsn of an RC Jetty's requests; -1 for all others
     */
    JettyDescriptor describe(
            int id,
            JettyDescriptor.Kind kind,
            TransportMode mode,
            OrderType orderType,
            TokenPolicy policy,
            int number,
            int firstPsn) {
        List<Endpoint> endpoints = new ArrayList<>(2);
        endpoints.add(new UdmaEndpoint(adapter.address(), number, 0).toEndpoint());
        boolean isKnownToOthers = mode != TransportMode.RM && kind == JettyDescriptor.Kind.JETTY;
        if (isKnownToOthers && adapter.address().udpPort() == RoceEndpoint.UDP_PORT) {
            // for a peer that is not urma4j
            endpoints.add(new RoceEndpoint(
                            eid(),
                            number,
                            Math.max(firstPsn, 0),
                            adapter.port().mtuBytes(),
                            mode == TransportMode.RC ? RcBinding.FOREIGN_READS : 0)
                    .toEndpoint());
        }
        return new JettyDescriptor(
                new JettyId(eid(), uasid(), id),
                kind,
                incarnation(),
                mode,
                orderType.effective(mode),
                policy,
                endpoints);
    }

    @Override
    public CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        String what = descriptor.kind() + " " + descriptor.id();
        try {
            ControlChecks.token(what, descriptor.policy(), token);
            Optional<UdmaEndpoint> endpoint = UdmaEndpoint.of(what, descriptor.endpoints());
            if (endpoint.isEmpty()) {
                return CompletableFuture.completedFuture(byHand(what, descriptor, token));
            }
            long deadlineNanos = deadline(timeout);
            int number = endpoint.get().number();
            return adapter.engine()
                    .ask(() -> withHome(
                            endpoint.get().at(),
                            descriptor.incarnation(),
                            deadlineNanos,
                            home -> home.peer().uasid() == descriptor.id().uasid()
                                    ? askCore(
                                                    home,
                                                    QueueGranted.class,
                                                    n -> new ImportQueue(n, number, descriptor.kind(), token),
                                                    deadlineNanos)
                                            .thenApply(granted -> target(descriptor, number, home, granted))
                                    : CompletableFuture.failedFuture(leadsElsewhere(what, home))));
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A forged descriptor, or reply address, must not lead to a third context. */
    private static UrmaException leadsElsewhere(String what, Path home) {
        return new UrmaException(UrmaStatus.ENOPERM, what, "its endpoint leads to " + home.peer());
    }

    @Override
    public boolean leadsTo(JettyDescriptor descriptor, JettyId source) {
        try {
            // otherwise any sender could make this context greet any host
            return ProviderContext.super.leadsTo(descriptor, source)
                    && UdmaEndpoint.of("reply address", descriptor.endpoints())
                            .map(endpoint -> endpoint.at().eid().equals(source.eid()))
                            .orElse(false);
        } catch (UrmaException e) {
            return false; // it is not even readable
        }
    }

    private UdmaTarget byHand(String what, JettyDescriptor descriptor, @Nullable Token token) {
        RoceEndpoint endpoint = RoceEndpoint.of(descriptor)
                .orElseThrow(() ->
                        new UrmaException(UrmaStatus.EINVAL, what, "has no endpoint of the kind " + UdmaEndpoint.KIND));
        int handle = switch (descriptor.mode()) {
            case RC -> 0;
            case UM -> datagramTarget(endpoint, token == null ? 0 : token.value());
            case RM ->
                throw new UrmaException(
                        UrmaStatus.EINVAL,
                        what,
                        "mode RM is specific to urma4j: the import needs an endpoint of kind 'udma', the descriptor has only 'roce'");
        };
        adapter.unknownPeers().know(sourceOf(endpoint));
        return new UdmaTarget(this, descriptor, endpoint.qpNumber(), handle, null, endpoint);
    }

    /** The source of a foreign peer's packets: any port (WIRE §0). */
    private static PortAddress sourceOf(RoceEndpoint byHand) {
        return new PortAddress(byHand.gid(), 0);
    }

    private int datagramTarget(RoceEndpoint endpoint, int queueKey) {
        RemotePort port = adapter.reachable(new PortAddress(endpoint.gid(), RoceEndpoint.UDP_PORT));
        EventLoop eventLoop = adapter.eventLoop();
        eventLoop.enter();
        try {
            return eventLoop.card().createDatagramTarget(port, endpoint.qpNumber(), queueKey);
        } finally {
            eventLoop.leave();
        }
    }

    private UdmaTarget target(JettyDescriptor descriptor, int number, Path home, QueueGranted granted) {
        if (home.peer().isLost()) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, descriptor.id(), "its home has just closed or ended");
        }
        home.open();
        EventLoop eventLoop = adapter.eventLoop();
        int handle;
        eventLoop.enter();
        try {
            handle = switch (granted.mode()) {
                case RM -> eventLoop.card().createTarget(home.connection(), number);
                case UM -> {
                    RemotePort port = adapter.reachable(home.peer().address());
                    yield eventLoop.card().createDatagramTarget(port, number, (int) granted.attributes());
                }
                case RC -> 0;
            };
        } finally {
            eventLoop.leave();
        }
        home.retain();
        return new UdmaTarget(this, descriptor, number, handle, home, null);
    }

    /** The user closed a target: no work request names it any more. Any thread. */
    void forget(UdmaTarget target) {
        adapter.engine().execute(() -> {
            if (!target.markClosed()) {
                return;
            }
            if (target.handle() != 0) {
                adapter.eventLoop().enter();
                try {
                    adapter.card().destroyTarget(target.handle());
                } finally {
                    adapter.eventLoop().leave();
                }
            }
            Path path = target.path();
            if (path != null) {
                path.release();
            }
            RoceEndpoint byHand = target.byHand();
            if (byHand != null) {
                adapter.unknownPeers().forget(sourceOf(byHand));
            }
        });
    }

    // ---- peers; the engine's thread

    /** The path to a context, greeted if necessary. */
    CompletableFuture<Path> connect(PortAddress at, long incarnation, long deadlineNanos) {
        adapter.unknownPeers().know(at); // its answers must not wait among those of unknown sources
        return plane.connect(at, incarnation, deadlineNanos, adapter.nanos())
                .whenComplete((_, _) -> adapter.unknownPeers().forget(at))
                .thenApply(this::pathTo)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)));
    }

    /**
     * Sends a request to a context, greeted if necessary; repeats it once if the context has evicted this one since the
     * greeting, as it may while nothing is shared.
     */
    <T> CompletableFuture<T> withHome(
            PortAddress at, long incarnation, long deadlineNanos, Function<Path, CompletableFuture<T>> ask) {
        return connect(at, incarnation, deadlineNanos)
                .thenCompose(home -> ask.apply(home)
                        .exceptionallyCompose(failure -> home.peer().hasEvictedUs()
                                ? connect(at, incarnation, deadlineNanos).thenCompose(ask)
                                : CompletableFuture.failedFuture(failure)));
    }

    /** The failure, with the reason if the port knows why no answer arrives. */
    private Throwable explained(Throwable failure) {
        String objection = adapter.watch().objection();
        return !objection.isEmpty()
                        && ControlEngine.causeOf(failure) instanceof UrmaException e
                        && e.status() == UrmaStatus.ETIMEOUT
                ? new UrmaException(e.status(), this, e.getMessage() + "; " + objection, e)
                : failure;
    }

    private Path pathTo(Peer peer) {
        Path path = paths.get(peer);
        if (path == null) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + String.valueOf(peer.whyLost()));
        }
        return path;
    }

    /** Sends a request to a peer, and expects an answer of that kind. */
    <T extends ControlMessage> CompletableFuture<T> askCore(
            Path home, Class<T> kind, LongFunction<ControlMessage> request, long deadlineNanos) {
        return plane.ask(home.peer(), number -> new Core(request.apply(number)), deadlineNanos, adapter.nanos())
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)))
                .thenApply(answer -> {
                    if (answer instanceof Core core && kind.isInstance(core.message())) {
                        return kind.cast(core.message());
                    }
                    throw new UrmaException(
                            UrmaStatus.FAIL, home.peer(), "sent an unexpected answer, not " + kind.getSimpleName());
                });
    }

    @Override
    public ConnectionEnd newHalf() {
        return adapter.newHalf();
    }

    @Override
    public void discard(ConnectionEnd half) {
        // numbers are reused late, and no other state exists
    }

    @Override
    public void greeted(Peer peer) {
        paths.put(peer, new Path(adapter, peer, this::openPath));
    }

    /** Creates this end of the connection with a peer, which from now on shares something with this context. */
    private void openPath(Path path) {
        int pathNumber = adapter.pathNumbers().take();
        try {
            connect(path, new PeerInfo(adapter.newPeerNumber(), path.peer().uasid(), pathNumber));
        } catch (RuntimeException e) {
            adapter.pathNumbers().give(pathNumber);
            throw e;
        }
        Peer peer = path.peer();
        adapter.unknownPeers().know(peer.address()); // before it hears that it may send
        adapter.watchConnection(
                path.connection(),
                () -> plane.doubt(peer, adapter.nanos()),
                () -> plane.lose(peer, "its packets arrive, but it acknowledges nothing", false));
        OptionalInt pid = pidOf(peer);
        if (path.isNeighbour() && pid.isPresent()) {
            path.watchProcess(pid.getAsInt(), () -> plane.doubt(peer, adapter.nanos()));
        }
    }

    private void connect(Path path, PeerInfo info) {
        Peer peer = path.peer();
        CardConnectionConfig config = CardConnectionConfig.builder(
                        adapter.reachable(peer), peer.theirs().number())
                .number(peer.own().number())
                .mtuBytes(Math.min(peer.own().mtuBytes(), peer.theirs().mtuBytes()))
                .psns(peer.own().firstPsn(), peer.theirs().firstPsn())
                .peer(info)
                .build();
        boolean isNeighbour = directory.has(peer.uasid(), peer.incarnation());
        EventLoop eventLoop = adapter.eventLoop();
        eventLoop.enter();
        try {
            int connection = eventLoop.card().connect(config, eventLoop.nanos());
            path.opened(info, connection, eventLoop.card().createMemoryTarget(connection), isNeighbour);
        } finally {
            eventLoop.leave();
        }
    }

    /** The process of another context on this host; empty for this process, and if the peer does not announce it. */
    private static OptionalInt pidOf(Peer peer) {
        String text = peer.process();
        String own = processText();
        if (!text.startsWith(PID) || text.equals(own)) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(text.substring(PID.length())));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    private static String processText() {
        return PID + ProcessHandle.current().pid();
    }

    @Override
    public void requested(Peer from, long number, PeerMessage request) {
        serving.requested(pathTo(from), number, request);
    }

    @Override
    public boolean holds(Peer peer) {
        Path path = paths.get(peer);
        return path != null && path.holds();
    }

    @Override
    public boolean isDead(Peer peer) {
        Path path = paths.get(peer);
        return path != null && path.isNeighbour() && directory.isDead(peer.uasid(), peer.incarnation());
    }

    @Override
    public void lost(Peer peer, String why, boolean proven) {
        Path path = paths.remove(peer);
        if (path == null) {
            return;
        }
        boolean mattered = path.matters();
        exports.importerGone(path);
        imports.homeLost(path, why);
        importables.values().stream().map(Importable::binding).forEach(binding -> {
            if (binding != null) {
                binding.peerLost(peer);
            }
        });
        path.leave();
        if (mattered && !isClosing) {
            raise(AsyncEvent.Type.PEER_LOST, peer.toString(), why);
        }
    }

    @Override
    public List<TransportPath> paths() {
        return TransportPaths.of(adapter.eventLoop(), paths.values(), queues.sendQueues());
    }

    /** The paths with numbers above {@code after}, for inspection. */
    List<Resource> paths(long after, int limit) {
        return paths().stream()
                .filter(path -> path.number() > after)
                .limit(limit)
                .map(TransportPath::toResource)
                .toList();
    }

    /** What the work requests of its queues wait for, for inspection. */
    List<Resource> waits(long after, int limit) {
        return Waits.of(queues.sendQueues(), this::nameOf, after, limit);
    }

    private String nameOf(int number) {
        return paths.values().stream()
                .filter(path -> path.number() == number)
                .findFirst()
                .map(path -> path.peer().toString())
                .orElse("-");
    }

    // ---- the end

    /**
     * Revokes its exports, says goodbye, and removes its file. At the timeout, unfinished parts are abandoned; a second
     * call waits for the first.
     */
    @Override
    public synchronized CompletableFuture<Void> close(Duration timeout) {
        if (closing == null) {
            long deadlineNanos = deadline(timeout);
            CompletableFuture<Void> told = new CompletableFuture<>();
            closing = told;
            if (!adapter.engine().execute(() -> takeBack(deadlineNanos, told))) {
                told.complete(null);
            }
        }
        return closing;
    }

    private void takeBack(long deadlineNanos, CompletableFuture<Void> told) {
        isClosing = true;
        Stream<CompletableFuture<?>> revoked =
                exports.segments().all().stream().map(segment -> exports.revoke(segment, deadlineNanos));
        var _ = CompletableFuture.allOf(revoked.toArray(CompletableFuture[]::new))
                .thenCompose(_ -> plane.sayGoodbye("closed", deadlineNanos, adapter.nanos()))
                .whenComplete((_, _) -> adapter.engine().execute(() -> finish(told)));
    }

    private void finish(CompletableFuture<Void> told) {
        plane.close();
        adapter.engine().remove(turn);
        adapter.watch().remove(portListener);
        lock.remove();
        directory.close();
        Thread.startVirtualThread(
                () -> { // the last context ends the engine, which cannot wait for its own end
                    device.release();
                    told.complete(null);
                });
    }

    @Override
    public String toString() {
        return "udma context " + uasid();
    }
}
