package io.urma4j.shm.control;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.bounce.BounceServer;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A control plane with a minimal data plane: it grants queue 7 for token 77, and records all notifications. */
final class TestContext implements DataPlane, AutoCloseable {
    private static final BounceServer.Rings NO_RINGS = new BounceServer.Rings() {
        @Override
        public void poll() {}

        @Override
        public void beginWait() {}

        @Override
        public void endWait() {}
    };

    static final long RING_BYTES = 64 << 10;
    static final Duration LONG = Duration.ofSeconds(20);
    static final int QUEUE = 7;
    static final Token QUEUE_TOKEN = Token.of(77);

    final Map<Peer, PathMemory> paths = new ConcurrentHashMap<>();
    final List<String> lost = new CopyOnWriteArrayList<>();
    final List<AsyncEvent> events = new CopyOnWriteArrayList<>();
    final List<String> binds = new CopyOnWriteArrayList<>();
    final AtomicInteger turns = new AtomicInteger();

    /** What the data plane reports of each kind that it is asked for. */
    final List<Resource> resources = new CopyOnWriteArrayList<>();

    /** Makes {@link #pathOpened} fail. */
    volatile boolean refusesPaths;

    /** Makes {@link #pathOpened} close the path at once, so that its ring cannot be passed to the peer. */
    volatile boolean closesPaths;

    final ControlPlane plane;

    TestContext(Path directory) {
        this(directory, ContextOptions.DEFAULT);
    }

    TestContext(Path directory, ContextOptions options) {
        this(directory, options, Peers.GREETING_NANOS);
    }

    /** One to which callers must greet within {@code greetingNanos}. */
    TestContext(Path directory, ContextOptions options, long greetingNanos) {
        this(directory, options, greetingNanos, PeerLimits.ofThisProcess());
    }

    /** A context with these limits on its peers. */
    TestContext(Path directory, PeerLimits limits) {
        this(directory, ContextOptions.DEFAULT, Peers.GREETING_NANOS, limits);
    }

    private TestContext(Path directory, ContextOptions options, long greetingNanos, PeerLimits limits) {
        plane = ControlPlane.open(
                UrmaOptions.DEFAULT.withRuntimeDirectory(directory),
                Eid.ofIpv4(0x7F00_0001),
                new ControlSettings(options, RING_BYTES, greetingNanos, false, limits),
                events::add,
                this);
    }

    /** The result of a step on the engine's thread. */
    static <T> T on(Engine engine, Callable<T> step) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        engine.execute(() -> {
            try {
                result.complete(step.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return get(result);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(30, SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            throw new AssertionError("a future did not end", e);
        }
    }

    ShmSegment share(Access access) throws Exception {
        return share(4096, access);
    }

    ShmSegment share(long lengthBytes, Access access) throws Exception {
        return register(ShmMemory.allocate(lengthBytes, AllocOptions.DEFAULT, "test"), access);
    }

    ShmSegment register(ShmMemory memory, Access access) throws Exception {
        return (ShmSegment)
                get(plane.register(new SegmentRequest(memory, null, access, TokenPolicy.PLAIN_TEXT, Token.random())));
    }

    ShmImport importFrom(ShmSegment segment, Access access) throws Exception {
        return (ShmImport)
                get(plane.importSegment(new ImportRequest(segment.descriptor(), segment.token(), access, LONG)));
    }

    JettyDescriptor queue(int id) {
        return new JettyDescriptor(
                new JettyId(Eid.ofIpv4(0x7F00_0001), plane.uasid(), id),
                JettyDescriptor.Kind.JFR,
                plane.incarnation(),
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.PLAIN_TEXT,
                List.of(new Endpoint("shm", plane.address(), 0, 0, false)));
    }

    Peer importQueueOf(TestContext home) throws Exception {
        return get(plane.importQueue(home.queue(QUEUE), QUEUE_TOKEN, LONG));
    }

    @Override
    public QueueAnswer queueRequested(
            Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken) {
        boolean right = queueId == QUEUE && hasToken && tokenValue == QUEUE_TOKEN.value();
        return right
                ? QueueAnswer.granted(TransportMode.RM, OrderType.OI, 4711)
                : QueueAnswer.refused(UrmaStatus.ENOPERM);
    }

    @Override
    public UrmaStatus bindRequested(Peer from, int localId, int remoteId, int orderType) {
        binds.add("bind " + localId + " to " + remoteId + " of uasid " + from.uasid());
        return localId == QUEUE ? UrmaStatus.SUCCESS : UrmaStatus.EINVAL;
    }

    @Override
    public void unbindRequested(Peer from, int localId, int remoteId) {
        binds.add("unbind " + localId + " from " + remoteId + " of uasid " + from.uasid());
    }

    @Override
    public List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return resources.stream().filter(one -> one.id() > after).limit(limit).toList();
    }

    @Override
    public void pathOpened(Peer peer, PathMemory path) {
        if (refusesPaths) {
            throw new IllegalStateException("no path, on purpose");
        }
        if (paths.put(peer, path) != null) {
            throw new AssertionError("a second path to " + peer);
        }
        if (closesPaths) {
            path.close();
        }
    }

    @Override
    public void pathUndone(Peer peer) {
        PathMemory path = paths.remove(peer);
        if (path != null) {
            path.close();
        }
    }

    @Override
    public BounceServer.Rings rings() {
        return NO_RINGS;
    }

    /** It has no rings: its requests find no room. */
    @Override
    public boolean request(Peer to, MemorySegment request) {
        return false;
    }

    @Override
    public void peerLost(Peer peer, String why, boolean proven) {
        pathUndone(peer);
        lost.add((proven ? "proven " : "unproven ") + peer.uasid() + ": " + why);
    }

    @Override
    public long turn(long nowNanos) {
        turns.incrementAndGet();
        return Long.MAX_VALUE;
    }

    /** Waits until the engine has executed what it was asked for before. */
    void settle() throws Exception {
        CompletableFuture<Void> executed = new CompletableFuture<>();
        plane.execute(() -> executed.complete(null));
        get(executed);
    }

    /** Keeps the engine's thread busy until the returned latch is open, so that events collect meanwhile. */
    CountDownLatch hold() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        CompletableFuture<Void> held = new CompletableFuture<>();
        plane.execute(() -> {
            held.complete(null);
            awaitQuietly(open);
        });
        get(held);
        return open;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    long count(AsyncEvent.Type type) {
        return events.stream().filter(event -> event.type() == type).count();
    }

    @Override
    public void close() {
        try {
            get(plane.close(Duration.ofSeconds(10)));
            paths.values().forEach(PathMemory::close); // of peers that were lost just before, and not reported any more
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
