package io.urma4j.shm.control;

import io.urma4j.ContextOptions;
import io.urma4j.ContextView;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.UserIds;
import io.urma4j.shm.control.RuntimeDirectory.ContextLock;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext.NamedSegment;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Names;
import io.urma4j.spi.control.Publisher;
import io.urma4j.spi.control.WindowNumbers;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.Setting;
import io.urma4j.spi.support.StagedCopies;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The control plane of one context: its files in the runtime directory, its socket, its peers, its segments, and the
 * engine's thread that owns all of these. Safe for any thread.
 *
 * <p>Futures fail with {@code UrmaException}, at their timeout at the latest. They complete on a virtual thread, so
 * dependent stages may block.
 */
public final class ControlPlane {
    private static final System.Logger LOG = System.getLogger(ControlPlane.class.getName());

    private static final int ADDRESS_BYTES = 16;

    private final int uasid;
    private final PeerId self;
    private final io.urma4j.PeerId identity;
    private final Engine engine;
    private final Requests requests;
    private final Peers peers;
    private final Exports exports;
    private final Imports imports;
    private final Paths paths;
    private final Bounces bounces;
    private final DeviceSharing sharing;
    private final Names names;
    private final Inspector inspector;
    private final Shutdown shutdown;

    private ControlPlane(
            RuntimeDirectory directory,
            ContextLock lock,
            PeerId self,
            Eid eid,
            ControlSettings settings,
            ContextEvents events,
            DataPlane dataPlane) {
        this.uasid = lock.uasid();
        this.self = self;
        this.identity = new io.urma4j.PeerId(eid, lock.uasid(), self.incarnation());
        CompletableFuture<Void> ended = new CompletableFuture<>();
        this.engine = new Engine("urma-shm-engine-" + uasid, dataPlane::turn, () -> ended.complete(null));
        this.requests = new Requests(engine);
        Publisher publisher =
                new Publisher(engine, (name, tokenId) -> directory.publish(name, new NameRecord(self, tokenId)));
        GrantBoard board = new GrantBoard("urma-windows-of-" + uasid);
        StagedCopies copies = new StagedCopies();
        this.exports = new Exports(engine, publisher, board, copies, events, eid, uasid, self);
        this.sharing = new DeviceSharing(engine, requests, events, copies);
        this.imports = new Imports(
                engine,
                events,
                settings.context().closeTimeout().toNanos(),
                settings.trustsHugePages(),
                new Windows(engine, requests, board));
        this.paths = new Paths(engine, requests, dataPlane, self, settings.ringBytes());
        this.bounces = new Bounces(requests, paths, dataPlane);
        Serving serving = new Serving(engine, requests, exports, publisher, imports, paths, bounces, dataPlane, events);
        try {
            this.peers = new Peers(
                    engine,
                    directory,
                    Peers.hello(eid, uasid, self),
                    settings.greetingNanos(),
                    settings.limits(),
                    serving);
        } catch (RuntimeException e) {
            engine.discard();
            throw e;
        }
        Neighbours neighbours = new Neighbours(directory, self, peers, requests);
        this.names = new Names(engine, neighbours);
        this.inspector = new Inspector(engine, neighbours::others);
        this.shutdown = new Shutdown(engine, requests, exports, imports, paths, peers, directory, lock, serving, ended);
    }

    /**
     * Opens it: creates its files, listens, and starts the engine.
     *
     * @param ringBytes size of the message rings; equal for all contexts of a version
     * @throws UrmaException ENOPERM if other users can access the runtime directory
     */
    public static ControlPlane open(
            UrmaOptions options,
            Eid eid,
            ContextOptions contextOptions,
            long ringBytes,
            ContextEvents events,
            DataPlane dataPlane) {
        ControlSettings settings = new ControlSettings(
                contextOptions, ringBytes, Peers.GREETING_NANOS, trustsHugePages(options), PeerLimits.ofThisProcess());
        return open(options, eid, settings, events, dataPlane);
    }

    static ControlPlane open(
            UrmaOptions options, Eid eid, ControlSettings settings, ContextEvents events, DataPlane dataPlane) {
        SecureRandom random = new SecureRandom();
        PeerId self = newId(random);
        RuntimeDirectory directory =
                RuntimeDirectory.open(Setting.runtimeDirectory(options, System::getenv, UserIds.effective()));
        ContextLock lock = null;
        try {
            lock = directory.takeUasid(self, random);
            ControlPlane plane = new ControlPlane(directory, lock, self, eid, settings, events, dataPlane);
            tidy(directory);
            plane.engine.start();
            return plane;
        } catch (RuntimeException e) {
            leave(directory, self, lock, e);
            throw e instanceof LibcException failed ? RuntimeDirectory.noRoom(directory.sockets(), failed) : e;
        }
    }

    private static boolean trustsHugePages(UrmaOptions options) {
        String setting = Setting.SHM_HUGE_PAGES.property();
        String value = options.setting(setting).orElse("refused");
        return switch (value) {
            case "trusted" -> true;
            case "refused" -> false;
            default ->
                throw new UrmaException(
                        UrmaStatus.EINVAL, "setting " + setting, "is '" + value + "', must be trusted or refused");
        };
    }

    /** Removes its files if possible; the original failure is reported. */
    private static void leave(RuntimeDirectory directory, PeerId self, @Nullable ContextLock lock, Exception failure) {
        try {
            directory.sockets().unlink(self.address());
            if (lock != null) {
                lock.file().remove();
            }
        } catch (LibcException e) {
            failure.addSuppressed(e);
        } finally {
            directory.close();
        }
    }

    private static PeerId newId(SecureRandom random) {
        byte[] address = new byte[ADDRESS_BYTES];
        random.nextBytes(address);
        long incarnation = 0;
        while (incarnation == 0) { // 0 means any, in a greeting
            incarnation = random.nextLong();
        }
        return new PeerId(HexFormat.of().formatHex(address), incarnation);
    }

    private static void tidy(RuntimeDirectory directory) {
        try {
            directory.sweep();
        } catch (RuntimeException | IOException e) {
            LOG.log(Level.WARNING, () -> "cannot remove files of dead contexts in " + directory, e);
        }
    }

    public int uasid() {
        return uasid;
    }

    public long incarnation() {
        return self.incarnation();
    }

    /** Name of the socket in the runtime directory: the address of this context's endpoints. */
    public String address() {
        return self.address();
    }

    // ---- segments

    public int allocateTokenId() {
        return exports.segments().allocate();
    }

    public void freeTokenId(int tokenId) {
        exports.segments().free(tokenId);
    }

    public CompletableFuture<ProviderSegment> register(SegmentRequest request) {
        try {
            return CompletableFuture.completedFuture(exports.register(request));
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        return importSegment(request, false);
    }

    private CompletableFuture<ProviderImport> importSegment(ImportRequest request, boolean atHomeAddress) {
        long deadlineNanos = engine.deadline(request.timeout());
        String what = "segment " + request.descriptor().uasid() + "/"
                + request.descriptor().tokenId();
        try {
            ControlChecks.token(what, request.descriptor().policy(), request.token());
            if (!request.access().canRead()) {
                throw new UrmaException(UrmaStatus.EINVAL, what, "cannot be imported as " + request.access());
            }
            Endpoint endpoint = endpointOf(what, request.descriptor().endpoints());
            PeerId home = new PeerId(endpoint.address(), request.descriptor().incarnation());
            int tokenId = request.descriptor().tokenId();
            boolean windowsOnly = request.descriptor().capabilities().windowsOnly();
            long named = WindowNumbers.ofPeer(identity, home.incarnation(), endpoint.key());
            long address = atHomeAddress ? endpoint.vaBase() : 0;
            if (atHomeAddress && address == 0) {
                throw new UrmaException(UrmaStatus.EINVAL, what, "its descriptor has no home address");
            }
            ShmImport.Twin again = timeout -> importSegment(
                            new ImportRequest(request.descriptor(), request.token(), request.access(), timeout), true)
                    .thenApply(ShmImport.class::cast);
            return engine.ask(
                    () -> peers.connect(home, deadlineNanos)
                            .thenCompose(peer -> {
                                var reply = requests.ask(
                                        peer,
                                        deadlineNanos,
                                        n -> new ImportSegment(
                                                n, tokenId, endpoint.key(), request.access(), request.token()));
                                if (windowsOnly) {
                                    imports.windows().prepare(peer); // one round trip for both
                                }
                                return reply;
                            })
                            .thenApply(
                                    reply -> imports.granted(reply, tokenId, named, request.access(), address, again))
                            .thenCompose(made -> reachable(made, deadlineNanos)),
                    ControlPlane::giveBack);
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Device memory needs a way to ask its home. */
    private CompletableFuture<ProviderImport> reachable(ShmImport made, long deadlineNanos) {
        if (!made.isServed()) {
            return CompletableFuture.completedFuture(made);
        }
        return bounces.ensure(made.home(), deadlineNanos)
                .thenCombine(sharing.opened(made, deadlineNanos), (client, opened) -> {
                    made.serve(client);
                    return made;
                })
                .handle((served, failure) -> {
                    if (failure == null) {
                        return served;
                    }
                    giveBack(made);
                    throw new CompletionException(ControlEngine.causeOf(failure));
                });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // no caller waits for it
    private static void giveBack(ProviderImport unwanted) {
        unwanted.close();
    }

    private static Endpoint endpointOf(String what, List<Endpoint> endpoints) {
        return ControlChecks.endpoint(what, endpoints, Exports.KIND)
                .orElseThrow(() ->
                        new UrmaException(UrmaStatus.EINVAL, what, "has no endpoint of the kind " + Exports.KIND));
    }

    private CompletableFuture<Requests.Reply> ask(PeerId home, long deadlineNanos, LongFunction<Request> message) {
        return peers.connect(home, deadlineNanos).thenCompose(peer -> requests.ask(peer, deadlineNanos, message));
    }

    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        return names.lookup(name, timeout);
    }

    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        return names.published(timeout);
    }

    public CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        return inspector.inspect(kinds, timeout);
    }

    public CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        return inspector.measure(on, pid, timeout);
    }

    /**
     * Revokes {@code tokenId} at the request of a message of {@code from}, if {@code from} imported it. Returns at once,
     * and may be repeated until it is done. It stays in progress while an importer neither answers nor is proven gone.
     */
    public InvalidateResult invalidate(Peer from, int tokenId) {
        return exports.invalidate(from, tokenId);
    }

    // ---- queues

    /** Connects, imports the queue, and ensures that a path to the peer exists; returns the peer. */
    public CompletableFuture<Peer> importQueue(JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        String what = descriptor.kind() + " " + descriptor.id();
        try {
            ControlChecks.token(what, descriptor.policy(), token);
            PeerId home = new PeerId(endpointOf(what, descriptor.endpoints()).address(), descriptor.incarnation());
            int queue = descriptor.id().id();
            return engine.ask(() -> ask(home, deadlineNanos, n -> new ImportQueue(n, queue, descriptor.kind(), token))
                    .thenCompose(reply -> granted(reply, descriptor.id(), deadlineNanos)));
        } catch (UrmaException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Peer> granted(Requests.Reply reply, JettyId queue, long deadlineNanos) {
        reply.as(QueueGranted.class);
        Peer home = reply.from();
        if (home.uasid() != queue.uasid()) {
            // a forged descriptor, or reply address, must not lead to a third context
            return CompletableFuture.failedFuture(
                    new UrmaException(UrmaStatus.ENOPERM, "queue " + queue, "its endpoint leads to " + home));
        }
        return paths.ensure(home, deadlineNanos).thenApply(_ -> home);
    }

    /**
     * Asks the peer to bind its Jetty {@code remoteId} to our {@code localId}. A refusal is a value; no answer is a
     * failure.
     */
    public CompletableFuture<UrmaStatus> bind(Peer peer, int localId, int remoteId, int orderType, Duration timeout) {
        OrderType order = OrderType.of(orderType);
        return askForStatus(peer, timeout, n -> new Bind(n, remoteId, localId, order));
    }

    /** Undoes {@link #bind} as the requester. */
    public CompletableFuture<UrmaStatus> unbind(Peer peer, int localId, int remoteId, Duration timeout) {
        return askForStatus(peer, timeout, n -> new Unbind(n, remoteId, localId));
    }

    private CompletableFuture<UrmaStatus> askForStatus(Peer peer, Duration timeout, LongFunction<Request> message) {
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> {
            if (peer.isLost()) {
                return CompletableFuture.failedFuture(Requests.gone(peer, "it was lost"));
            }
            return ask(peer.id(), deadlineNanos, message)
                    .handle((reply, failure) -> failure == null ? UrmaStatus.SUCCESS : refusal(failure));
        });
    }

    private static UrmaStatus refusal(Throwable failure) {
        Throwable cause = ControlEngine.causeOf(failure);
        if (cause instanceof UrmaException refused
                && refused.status() != UrmaStatus.ETIMEOUT
                && refused.status() != UrmaStatus.FAIL) {
            return refused.status();
        }
        throw cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
    }

    /** Cuts off a peer with an invalid ring, as if its connection had failed. */
    public void cutOff(Peer peer, String why) {
        execute(() -> peers.lose(peer, why, false));
    }

    // ---- the engine

    /** Makes the engine run a round soon. */
    public void wakeEngine() {
        engine.wake();
    }

    /** Runs {@code task} on the engine's thread, unless it has ended; the task must not block. */
    public void execute(Runnable task) {
        engine.execute(task);
    }

    /**
     * Closes the control plane: revokes its exports, releases its imports, notifies the peers, and removes its files. At
     * the timeout, the unfinished parts are abandoned; a second call waits for the first.
     */
    public CompletableFuture<Void> close(Duration timeout) {
        return shutdown.begin(engine.deadline(timeout));
    }

    @Override
    public String toString() {
        return "control plane of uasid " + uasid;
    }
}
