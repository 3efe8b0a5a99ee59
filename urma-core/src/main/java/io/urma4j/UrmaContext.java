package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.ContextChecks;
import io.urma4j.internal.ContextLife;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.Discovery;
import io.urma4j.internal.inspect.Inventory;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.internal.inspect.PerfStage;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.internal.pipe.PipeClaim;
import io.urma4j.internal.pipe.PipeHome;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An address space on a device. It owns segments and queues, and imports those of other contexts.
 *
 * <p>Safe for any number of threads. Nothing of one context works in another, except through import.
 */
public final class UrmaContext implements AutoCloseable {
    private final ClosingOrder siblings;
    private final UrmaDevice device;
    private final DeviceAttributes attributes;
    private final ContextOptions options;
    private final AsyncEvents events = new AsyncEvents();
    private final ContextLife life;
    private final PerfMeter meter = new PerfMeter();
    private final ProviderContext provider;
    private final String name;
    private final ContextChecks checks;
    private final Discovery discovery;
    private final Runnable recordedPaths; // ends their recording

    UrmaContext(ClosingOrder siblings, UrmaDevice device, ProviderDevice from, int eidIndex, ContextOptions options) {
        this.siblings = siblings;
        this.device = device;
        this.attributes = device.attributes();
        this.options = options;
        this.life = new ContextLife(this, meter, options.closeTimeout());
        Inventory seen = new Inventory(life.children(), events, events::raise, meter, device.library(this));
        this.provider = from.openContext(eidIndex, options, seen);
        this.name = "context " + device.name() + "/" + provider.uasid();
        this.checks = new ContextChecks(this, attributes, life);
        this.discovery = new Discovery(name, provider, meter, options.importTimeout(), life);
        this.recordedPaths = Flight.paths(name, provider::paths);
    }

    public UrmaDevice device() {
        return device;
    }

    public Eid eid() {
        return provider.eid();
    }

    /** Number of this address space on its endpoint, 24 bits. */
    public int uasid() {
        return provider.uasid();
    }

    /** The identity by which homes grant it windows (S14.32). */
    public PeerId peerId() {
        return new PeerId(eid(), uasid(), provider.incarnation());
    }

    /** Asynchronous events of this context. */
    public AsyncEvents events() {
        return events;
    }

    /** {@link #allocate(long, AllocOptions)} without wishes. */
    public SharedMemory allocate(long lengthBytes) {
        return allocate(lengthBytes, AllocOptions.DEFAULT);
    }

    /**
     * Allocates memory that can be registered and shared: zeroed, page-aligned.
     * @throws UrmaException EINVAL for a length outside 1…limit; ENOMEM if the machine or the cgroup lacks memory
     */
    public SharedMemory allocate(long lengthBytes, AllocOptions allocOptions) {
        checks.memory("lengthBytes", lengthBytes);
        return children().add(new SharedMemory(this, provider.allocate(lengthBytes, allocOptions)), ClosingRank.MEMORY);
    }

    /** Registers the whole of {@code memory} under a random token. */
    public LocalSegment register(SharedMemory memory, Access access) {
        return register(memory, SegmentConfig.of(access));
    }

    /** {@link #register(SharedMemory, SegmentConfig)} under that policy and token. */
    public LocalSegment register(SharedMemory memory, Access access, TokenPolicy policy, Token token) {
        return register(memory, SegmentConfig.of(access).withPolicy(policy).withToken(token));
    }

    /**
     * Registers all of {@code memory}: operations of this context may use it, and, unless the access is LOCAL_ONLY, peers
     * with the token may import it. The memory may be another context's of this process, also of another device (S7.15).
     * @throws UrmaException EINVAL for memory that is closed or that this device cannot use, another context's or segment's
     *     token id, an unsupported policy, or isolation of memory that others share, or of windows-only segments
     */
    public LocalSegment register(SharedMemory memory, SegmentConfig config) {
        checks.registration(config);
        return register(memory, null, config.tokenId(), config.request(memory.provider(), null, null));
    }

    /** A number under which segments can be registered (S7.4). */
    public TokenId createTokenId() {
        life.checkOpen();
        return children().add(new TokenId(this, provider), ClosingRank.TOKEN_ID);
    }

    /** {@link #registerForeign(MemorySegment, SegmentConfig)} under policy NONE: an import needs no token. */
    public LocalSegment registerForeign(MemorySegment memory, Access access) {
        return registerForeign(memory, SegmentConfig.of(access).withPolicy(TokenPolicy.NONE));
    }

    /**
     * Registers native memory of the caller, which must stay alive until the segment closes, and is never freed here.
     * @throws UrmaException EINVAL also for heap memory, empty memory, isolation, or an access that the device lacks for it
     */
    public LocalSegment registerForeign(MemorySegment memory, SegmentConfig config) {
        checks.registration(config);
        checks.foreignMemory(memory, config);
        return register(null, null, config.tokenId(), config.request(null, memory, null));
    }

    /**
     * Registers memory of a GPU or NPU (S15.10), which is not mappable. Blocks while its client pins it.
     * @throws UrmaException EINVAL for a device without {@code deviceMemory}, or freed memory
     */
    public LocalSegment register(DeviceMemory memory, SegmentConfig config) {
        checks.registration(config);
        checks.deviceMemory();
        checks.atomics(memory.address(), config.access());
        DeviceBacking pinned = DeviceBacking.pin(memory, events);
        return register(null, pinned, config.tokenId(), config.request(null, null, pinned.region()));
    }

    private LocalSegment register(
            @Nullable SharedMemory memory,
            @Nullable DeviceBacking device,
            @Nullable TokenId id,
            SegmentRequest request) {
        return meter.timed(PerfStage.REGISTER, () -> {
            var registered = LocalSegment.begin(this, provider, memory, device, id, request);
            return life.adopt(registered, ClosingRank.LOCAL_SEGMENT, LocalSegment::abandon);
        });
    }

    /** Imports a segment with the full access of its descriptor. Blocks at most the import timeout. */
    public RemoteSegment importSegment(SegmentDescriptor descriptor, @Nullable Token token) {
        return importSegment(descriptor, token, descriptor.access());
    }

    /**
     * Imports a segment of another address space, or of this one, with that access.
     * @throws UrmaException EINVAL if the descriptor is LOCAL_ONLY, or needs a token and none is given; ENOPERM if the
     *     descriptor allows less, or the home refuses; ETIMEOUT if the home cannot be reached
     */
    public RemoteSegment importSegment(SegmentDescriptor descriptor, @Nullable Token token, Access access) {
        return Await.result(this, beginImport(descriptor, token, access, ResultExecutors.AT_ONCE));
    }

    /** The asynchronous form of {@link #importSegment(SegmentDescriptor, Token, Access)}. */
    public CompletableFuture<RemoteSegment> importSegmentAsync(
            SegmentDescriptor descriptor, @Nullable Token token, Access access) {
        return beginImport(descriptor, token, access, ResultExecutors.VIRTUAL_THREADS);
    }

    private CompletableFuture<RemoteSegment> beginImport(
            SegmentDescriptor descriptor, @Nullable Token token, Access access, Executor handing) {
        checks.segmentImport(descriptor, token, access);
        ImportRequest request = new ImportRequest(descriptor, token, access, options.importTimeout());
        var importing = life.recorded(
                PerfStage.IMPORT_SEGMENT,
                () -> provider.importSegment(request).thenApply(handle -> new RemoteSegment(this, descriptor, handle)));
        return life.adopt(importing, ClosingRank.REMOTE_SEGMENT, RemoteSegment::abandon, handing);
    }

    /** Imports the segment of a line from {@link LocalSegment#share()}. */
    public RemoteSegment importSegment(SharedSegment shared) {
        return importSegment(shared.descriptor(), shared.token());
    }

    /**
     * Finds a segment by the name under which a process of this user published it.
     * @throws UrmaException EINVAL if the name is invalid or not published; ETIMEOUT if its home does not answer
     */
    public SharedSegment lookup(String publishedName) {
        return discovery.findShared(publishedName);
    }

    /**
     * Creates a region (S7.12): a name for segments of any homes, which other contexts see as one address space.
     * @param name 1…255 letters, digits, {@code . _ -}
     * @param token required to attach
     * @throws UrmaException EEXIST if the name is taken, by a segment or a region
     */
    public Region createRegion(String name, Token token) {
        return children().add(Region.create(this, name, token), ClosingRank.COMFORT);
    }

    /**
     * Attaches to a region of any owner (S7.12).
     * @throws UrmaException EINVAL if no region has that name; ENOPERM for a wrong token; ETIMEOUT if its owner is silent
     */
    public RemoteRegion importRegion(String name, Token token) {
        RemoteSegment table = importSegment(discovery.find(name).descriptor(), token, Access.READ);
        return children().add(RemoteRegion.open(this, name, table), ClosingRank.COMFORT);
    }

    /** All names that processes of this user published in the directory of this device. */
    public List<PublishedName> publishedNames() {
        return discovery.names();
    }

    /**
     * The objects of these kinds in the other contexts of this user that share this device's directory, without token values.
     * Blocks at most the import timeout; the view of a context that does not answer says so.
     */
    public List<ContextView> inspect(Set<Resource.Kind> kinds) {
        return discovery.inspect(kinds);
    }

    /** The transport paths to the peers, by number, with a snapshot of their counters, which end with the path. */
    public List<TransportPath> paths() {
        life.checkOpen();
        return provider.paths();
    }

    /**
     * Starts or stops measuring in other contexts, as found by {@link #inspect}; {@link Resource.Kind#PERF} shows the results.
     * @param pid of the process whose contexts are meant; empty for all
     * @return the notified contexts; the view of one that does not answer within the import timeout says so
     */
    public List<ContextView> measure(boolean on, OptionalLong pid) {
        return discovery.measure(on, pid);
    }

    /**
     * Imports remote memory as simple calls, by a line from {@link LocalSegment#share()} or by {@code kind:name} of a
     * published segment, for example {@code shm:orders}; {@code name:orders} is a name of this device, whatever its kind.
     */
    public RemoteMemory importMemory(String lineOrName) {
        return RemoteMemory.open(this, lineOrName);
    }

    /** Opens a message channel with default options. */
    public MessageChannel openMessageChannel() {
        return openMessageChannel(MessageChannel.Options.DEFAULT);
    }

    /** Opens a message channel. */
    public MessageChannel openMessageChannel(MessageChannel.Options channelOptions) {
        return MessageChannel.open(this, channelOptions, provider::leadsTo);
    }

    /** Opens the reading end of a pipe of {@link PipeReader#DEFAULT_CAPACITY_BYTES}. */
    public PipeReader openPipe() {
        return openPipe(PipeReader.DEFAULT_CAPACITY_BYTES);
    }

    /**
     * Opens the reading end of a pipe: the fastest way to receive messages from one peer.
     * @param capacityBytes maximum unread bytes; a power of two from 4 KiB to 1 GiB, more than twice the longest message
     */
    public PipeReader openPipe(int capacityBytes) {
        return children().add(new PipeReader(new PipeHome(this, capacityBytes)), ClosingRank.COMFORT);
    }

    /**
     * Opens the writing end of a pipe by the line of {@link PipeReader#share}, or by {@code name:orders} of one that its
     * reader has {@linkplain PipeReader#publish published}. Blocks at most the import timeout.
     * @throws DescriptorException if the line was changed
     * @throws UrmaException EINVAL if it is no pipe; EEXIST if it has or had a writer; ENOPERM; ETIMEOUT
     */
    public PipeWriter openPipeTo(String lineOrName) {
        PipeClaim claim = new PipeClaim(RemoteMemory.importSegment(this, lineOrName));
        return children().add(new PipeWriter(claim), ClosingRank.COMFORT);
    }

    /** Creates a completion event channel, on which threads wait for records. */
    public Jfce createJfce() {
        return children().add(new Jfce(this), ClosingRank.JFCE);
    }

    /** Creates a queue for the results of asynchronous calls (S5.9). */
    public Notifier createNotifier() {
        return children().add(new Notifier(this), ClosingRank.COMFORT);
    }

    /** Creates a completion queue without events. */
    public Jfc createJfc(JfcConfig config) {
        return createJfc(config, null);
    }

    /**
     * Creates a completion queue.
     * @param jfce for its events; null if it is only polled
     * @throws UrmaException EINVAL for a depth outside 1…limit; ENOMEM if there is not enough memory
     */
    public Jfc createJfc(JfcConfig config, @Nullable Jfce jfce) {
        checks.jfc(config);
        return life.create(PerfStage.CREATE_JFC, ClosingRank.JFC, () -> Jfc.create(this, provider, config, jfce));
    }

    /** A receive queue whose records go to {@code jfc}. RM or UM alone, or for a Jetty of any mode. */
    public Jfr createJfr(Jfc jfc, JfrConfig config) {
        checks.jfr(config);
        checks.mine(jfc);
        return life.create(PerfStage.CREATE_JFR, ClosingRank.JFR, () -> Jfr.create(this, provider, jfc, config));
    }

    /** Creates a separate send queue, for RM and UM (S5.4). */
    public Jfs createJfs(Jfc jfc, JfsConfig config) {
        checks.separateJfs(config);
        checks.mine(jfc);
        return life.create(
                PerfStage.CREATE_SEND_QUEUE,
                ClosingRank.JFS,
                () -> Jfs.create(this, provider, jfc, config, null, null));
    }

    /** Creates a Jetty: a send queue, with {@code jfr} as its receive half; EINVAL if their modes differ (S5.3). */
    public Jetty createJetty(Jfc jfc, Jfr jfr, JfsConfig config) {
        return createJetty(jfc, jfr, config, null);
    }

    /** The same with receive records that go to {@code receiveJfc}, if given, and not to the JFC of {@code jfr} (S5.3). */
    public Jetty createJetty(Jfc jfc, Jfr jfr, JfsConfig config, @Nullable Jfc receiveJfc) {
        checks.jfs(config);
        checks.mine(jfc, jfr, receiveJfc);
        jfr.checkAgrees(config);
        return life.create(
                PerfStage.CREATE_SEND_QUEUE,
                ClosingRank.JETTY,
                () -> new Jetty(this, Jfs.create(this, provider, jfc, config, jfr, receiveJfc), jfr));
    }

    /** Creates a group for RM Jetties, without members (S5.5). */
    public JettyGroup createJettyGroup(JettyGroupConfig config) {
        checks.group(config);
        return children().add(new JettyGroup(this, provider, config), ClosingRank.JETTY_GROUP);
    }

    /** Imports a JFR or Jetty of another address space, or of this one. Blocks at most the import timeout. */
    public TargetJetty importJetty(JettyDescriptor descriptor, @Nullable Token token) {
        return Await.result(this, beginImport(descriptor, token, options.importTimeout(), ResultExecutors.AT_ONCE));
    }

    /** Imports the queue of a line from {@link Jfr#share()}. */
    public TargetJetty importJetty(SharedJetty shared) {
        return importJetty(shared.descriptor(), shared.token());
    }

    /**
     * Imports the queue of a line from {@link Jfr#share} or {@link Jetty#share}, or {@code name:orders} of a queue that its
     * owner has {@linkplain Jfr#publish published}. Blocks at most the import timeout.
     * @throws DescriptorException if the line was changed
     * @throws UrmaException EINVAL if the name is not published, or not that of a queue
     */
    public TargetJetty importJetty(String lineOrName) {
        return importJetty(PublishedAddress.find(this, lineOrName));
    }

    /** The asynchronous form of {@link #importJetty(JettyDescriptor, Token)}. */
    public CompletableFuture<TargetJetty> importJettyAsync(JettyDescriptor descriptor, @Nullable Token token) {
        return beginImport(descriptor, token, options.importTimeout(), ResultExecutors.VIRTUAL_THREADS);
    }

    CompletableFuture<TargetJetty> beginImport(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout, Executor handing) {
        checks.queueImport(descriptor, token);
        var importing = life.recorded(
                PerfStage.IMPORT_QUEUE,
                () -> provider.importQueue(descriptor, token, timeout)
                        .thenApply(handle -> new TargetJetty(this, descriptor, handle)));
        return life.adopt(importing, ClosingRank.TARGET, TargetJetty::abandon, handing);
    }

    ContextOptions options() {
        return options;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    PerfMeter meter() {
        return meter;
    }

    ClosingOrder children() {
        return life.children();
    }

    ContextLife life() {
        return life;
    }

    /** Closes all objects of the context, users first, within the close timeout, and notifies the peers. Idempotent. */
    @Override
    public void close() {
        if (life.begin()) {
            siblings.remove(this);
            recordedPaths.run();
            Flight.contextClosed(this);
            events.close();
            life.finish(provider::close);
        }
    }

    /** Closes only if nothing in it is open; otherwise EAGAIN, naming the open objects (S4.1). */
    public void closeIfUnused() {
        life.endIfEmpty();
        close();
    }

    /**
     * Closes objects of this context, in order.
     * @throws UrmaException EINVAL if one is null or of another context: then none is closed
     * @throws BatchCloseException if one refuses, with its index: those before it are closed, those after it are not
     */
    public void closeAll(List<? extends @Nullable ContextObject> objects) {
        life.closeAll(objects);
    }

    @Override
    public String toString() {
        return name;
    }
}
