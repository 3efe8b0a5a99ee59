package io.urma4j.udma.driver;

import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.ContextView;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PeerId;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TransportPath;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
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
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Names;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PortIncarnation;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An address space on a network device. Agreements with peers run on the engine's thread; queues and segments are for any
 * thread.
 */
final class UdmaContext implements ProviderContext, Peers.Events {
    private static final System.Logger LOG = System.getLogger(UdmaContext.class.getName());

    private final Runnable closed;
    private final Adapter adapter;
    private final LocalContext local;
    private final HostDirectory directory;
    private final LockFile lock;
    private final BiConsumer<AsyncEvent.Type, String> portListener;
    private final Peers peers;
    private final Queues queues;
    private final Exports exports;
    private final Imports imports;
    private final Names names;
    private final Inspector inspector;
    private final Resources resources;
    private final Serving serving;
    private @Nullable CompletableFuture<Void> closing; // guarded by this

    private UdmaContext(
            String device,
            Runnable closed,
            Adapter adapter,
            ContextEvents events,
            HostDirectory directory,
            long incarnation,
            HostDirectory.Uasid uasid) {
        this.closed = closed;
        this.adapter = adapter;
        this.directory = directory;
        this.lock = uasid.file();
        this.local = new LocalContext(
                adapter, new HostDirectory.Place(adapter.address(), incarnation, uasid.number()), events);
        this.peers = new Peers(local, directory, this);
        this.queues = new Queues(local, peers);
        this.exports = new Exports(local, peers, directory, queues::settle);
        this.imports = new Imports(local, peers, queues::settle);
        this.resources = new Resources(adapter, peers, queues, events);
        this.serving = new Serving(local, peers, directory, exports, imports, queues, events, resources);
        Neighbours neighbours = new Neighbours(peers, directory, local.place());
        this.names = new Names(adapter.engine(), neighbours);
        this.inspector = new Inspector(adapter.engine(), neighbours::others);
        this.portListener = (type, detail) -> local.raise(type, "port 1 of " + device, detail);
    }

    /**
     * Opens it: creates its file, and listens.
     *
     * @param device its name
     * @param closed called at its end, not on the engine's thread
     * @throws UrmaException ENOPERM if other users can access the runtime directory
     */
    static UdmaContext open(
            String device, Runnable closed, Adapter adapter, UrmaOptions options, ContextEvents events) {
        long incarnation =
                PortIncarnation.next(adapter.random(), adapter.address().udpPort());
        return open(device, closed, adapter, options, events, incarnation, adapter.random());
    }

    /** With that incarnation, for tests that copy an identity. */
    static UdmaContext open(
            String device,
            Runnable closed,
            Adapter adapter,
            UrmaOptions options,
            ContextEvents events,
            long incarnation,
            RandomGenerator uasids) {
        HostDirectory directory = HostDirectory.open(options);
        try {
            HostDirectory.Uasid uasid = directory.takeUasid(adapter.address(), incarnation, uasids);
            return adapter.engine()
                    .ask(() -> {
                        UdmaContext made =
                                new UdmaContext(device, closed, adapter, events, directory, incarnation, uasid);
                        made.peers.open();
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
        return local.uasid();
    }

    @Override
    public long incarnation() {
        return local.place().incarnation();
    }

    Peers peers() {
        return peers;
    }

    Exports exports() {
        return exports;
    }

    Queues queues() {
        return queues;
    }

    private long deadline(Duration timeout) {
        return adapter.engine().deadline(timeout);
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
        return orFailed(() -> CompletableFuture.completedFuture(exports.register(request)));
    }

    @Override
    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        return orFailed(() -> imports.importSegment(request));
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

    /** A refused argument fails the future as well. */
    private static <T> CompletableFuture<T> orFailed(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
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

    @Override
    public CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        return orFailed(() -> imports.importQueue(descriptor, token, deadline(timeout)));
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

    // ---- peers; the engine's thread

    @Override
    public void requested(Path from, long number, PeerMessage request) {
        serving.requested(from, number, request);
    }

    @Override
    public void foreignLost(PeerId peer) {
        exports.endWindows(peer);
    }

    @Override
    public void lost(Path path, String why) {
        exports.importerLost(path);
        imports.homeLost(path, why);
        queues.peerLost(path.peer());
    }

    @Override
    public List<TransportPath> paths() {
        return resources.paths();
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
            if (!adapter.engine().submit(() -> takeBack(deadlineNanos, told))) {
                told.complete(null);
            }
        }
        return closing;
    }

    private void takeBack(long deadlineNanos, CompletableFuture<Void> told) {
        peers.beginClose();
        List<CompletableFuture<?>> revoked = new ArrayList<>();
        exports.segments().all().forEach(segment -> attempt(() -> revoked.add(exports.revoke(segment, deadlineNanos))));
        var _ = CompletableFuture.allOf(revoked.toArray(CompletableFuture[]::new))
                .thenCompose(_ -> peers.sayGoodbye(deadlineNanos))
                .whenComplete((_, _) -> adapter.engine().submit(() -> finish(told)));
    }

    private void finish(CompletableFuture<Void> told) {
        attempt(peers::close);
        attempt(() -> adapter.watch().remove(portListener));
        attempt(lock::remove);
        attempt(directory::close);
        Thread.startVirtualThread(
                () -> { // the last context ends the engine, which cannot wait for its own end
                    attempt(closed);
                    told.complete(null);
                });
    }

    /** A step of the close; if it fails, the others still run, and the close ends. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, this + ": a step of its close failed", e);
        }
    }

    @Override
    public String toString() {
        return local.toString();
    }
}
