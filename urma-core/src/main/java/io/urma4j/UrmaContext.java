package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.flight.Flight;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderContext.NamedSegment;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An address space on a device. It owns segments and queues, and imports those of other contexts.
 *
 * <p>Safe for any number of threads. An object of one context can be used in another only after import.
 */
public final class UrmaContext implements AutoCloseable {
    private static final long MIN_BUDGET_NANOS = 1_000_000; // even late, a child that ends at once ends well

    private final ClosingOrder siblings;
    private final UrmaDevice device;
    private final DeviceAttributes attributes;
    private final ContextOptions options;
    private final AsyncEvents events = new AsyncEvents();
    private final ClosingOrder children = new ClosingOrder(this);
    private final PerfMeter meter = new PerfMeter();
    private final ProviderContext provider;
    private final String name;
    private final Lifetime life = new Lifetime(this);
    private volatile long closeDeadlineNanos; // set when it is being closed

    private UrmaContext(
            ClosingOrder siblings, UrmaDevice device, ProviderDevice from, int eidIndex, ContextOptions options) {
        this.siblings = siblings;
        this.device = device;
        this.attributes = device.attributes();
        this.options = options;
        this.provider = from.openContext(eidIndex, options, new Inventory(children, events, meter));
        this.name = "context " + device.name() + "/" + provider.uasid();
    }

    static UrmaContext open(
            ClosingOrder siblings, UrmaDevice device, ProviderDevice from, int eidIndex, ContextOptions options) {
        UrmaContext opened = siblings.add(new UrmaContext(siblings, device, from, eidIndex, options), 0);
        Flight.contextOpened(opened);
        return opened;
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

    /** Asynchronous events of this context. */
    public AsyncEvents events() {
        return events;
    }

    /** Memory that can be registered and shared: zeroed, page-aligned. */
    public SharedMemory allocate(long lengthBytes) {
        return allocate(lengthBytes, AllocOptions.DEFAULT);
    }

    /**
     * Allocates memory that can be registered and shared: zeroed, page-aligned.
     *
     * @throws UrmaException EINVAL for a length outside 1…limit; ENOMEM if the machine or the cgroup lacks memory
     */
    public SharedMemory allocate(long lengthBytes, AllocOptions allocOptions) {
        life.checkOpen();
        Checks.inRange(this, "lengthBytes", lengthBytes, 1, attributes.limits().segmentBytes());
        return children.add(new SharedMemory(this, provider.allocate(lengthBytes, allocOptions)), ClosingRank.MEMORY);
    }

    /** Registers the whole of {@code memory} under a random token. */
    public LocalSegment register(SharedMemory memory, Access access) {
        return register(memory, SegmentConfig.of(access));
    }

    /**
     * Registers all of {@code memory}: operations of this context may use it, and, unless the access is LOCAL_ONLY, peers
     * with the token may import it.
     *
     * @throws UrmaException EINVAL for closed or another context's memory, or a policy that the device does not support
     */
    public LocalSegment register(SharedMemory memory, Access access, TokenPolicy policy, Token token) {
        return register(memory, SegmentConfig.of(access).withPolicy(policy).withToken(token));
    }

    /**
     * Registers all of {@code memory}.
     *
     * @throws UrmaException EINVAL for closed or another context's memory or token id, an unsupported policy, a token id of
     *     another segment if the device allows only one, or isolation of memory that other segments share
     */
    public LocalSegment register(SharedMemory memory, SegmentConfig config) {
        checkMine(memory.context(), memory);
        TokenId tokenId = config.tokenId();
        if (tokenId != null) {
            checkMine(tokenId.context(), tokenId);
        }
        return register(
                memory,
                tokenId,
                new SegmentRequest(
                        memory.provider(),
                        null,
                        config.access(),
                        config.policy(),
                        config.token(),
                        tokenId == null ? 0 : tokenId.value(),
                        config.isolated()));
    }

    /** A number under which segments can be registered (S7.4). */
    public TokenId createTokenId() {
        life.checkOpen();
        return children.add(
                new TokenId(this, provider, attributes.capabilities().sharedTokenIds()), ClosingRank.TOKEN_ID);
    }

    /**
     * Registers native memory of the caller as source and destination of this context's own operations. It must stay alive
     * until the segment is closed.
     *
     * @throws UrmaException EINVAL for heap memory, empty memory, or an access that the device does not support for memory
     *     that it did not allocate
     */
    public LocalSegment registerForeign(MemorySegment memory, Access access) {
        if (!memory.isNative()) {
            throw Checks.invalid(
                    this,
                    "the memory is on the Java heap, where the garbage collector moves it; use allocate(), or an Arena");
        }
        Checks.inRange(
                this,
                "length of the memory",
                memory.byteSize(),
                1,
                attributes.limits().segmentBytes());
        if (access != Access.LOCAL_ONLY && !attributes.capabilities().foreignShareable()) {
            throw Checks.invalid(
                    this,
                    "access " + access + " is not possible for memory that " + device.name()
                            + " did not allocate; use allocate() for memory that peers can import");
        }
        return register(null, null, new SegmentRequest(null, memory, access, TokenPolicy.NONE, Token.of(0)));
    }

    private LocalSegment register(@Nullable SharedMemory memory, @Nullable TokenId tokenId, SegmentRequest request) {
        life.checkOpen();
        checkPolicy(request.policy());
        return meter.timed(PerfStage.REGISTER, () -> {
            var registered = Registration.begin(this, provider, memory, tokenId, request);
            return Await.result(
                    this, adopt(registered, ClosingRank.LOCAL_SEGMENT, LocalSegment::abandon, ResultExecutors.AT_ONCE));
        });
    }

    /** An import, recorded with its duration in the Flight Recorder. */
    private <T> CompletableFuture<T> recorded(PerfStage stage, Supplier<CompletableFuture<T>> importing) {
        Flight.Step step = Flight.importing(this);
        long begun = meter.begin();
        return importing.get().whenComplete((made, failure) -> {
            meter.end(stage, begun);
            step.end(made == null ? "-" : made, failure == null ? "SUCCESS" : Await.causeOf(failure));
        });
    }

    /**
     * Adds what a provider created as a child of this context, and passes it to the caller. If this context was closed
     * meanwhile, or the caller no longer waits, no one could close the child: then it is abandoned.
     *
     * @param abandon starts to close the child without waiting, since this may be a thread that others wait for
     * @param handing the future of the caller
     */
    private <T extends AutoCloseable> CompletableFuture<T> adopt(
            CompletableFuture<T> made, int rank, Consumer<T> abandon, Executor handing) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var _ = made.whenCompleteAsync(
                (child, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Await.causeOf(failure));
                    } else if (!children.tryAdd(child, rank, () -> abandon.accept(child))) {
                        abandon.accept(child);
                        result.completeExceptionally(Checks.closed(this));
                    } else if (!result.complete(child)) {
                        abandon.accept(child); // cancelled
                    }
                },
                handing);
        return result;
    }

    private void checkPolicy(TokenPolicy policy) {
        if (!attributes.capabilities().tokenPolicies().contains(policy)) {
            throw Checks.invalid(
                    this,
                    "token policy " + policy + " is not one of "
                            + attributes.capabilities().tokenPolicies());
        }
    }

    /** Imports a segment with the full access of its descriptor. Blocks at most the import timeout. */
    public RemoteSegment importSegment(SegmentDescriptor descriptor, @Nullable Token token) {
        return importSegment(descriptor, token, descriptor.access());
    }

    /**
     * Imports a segment of another address space, or of this one.
     *
     * @param access the requested access
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
        life.checkOpen();
        if (descriptor.access() == Access.LOCAL_ONLY || access == Access.LOCAL_ONLY) {
            throw Checks.invalid(this, "a LOCAL_ONLY segment cannot be imported");
        }
        if (descriptor.policy() != TokenPolicy.NONE && token == null) {
            throw Checks.invalid(this, "the segment's policy is " + descriptor.policy() + ", but token is null");
        }
        if (!descriptor.access().covers(access)) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    "access " + access + " is more than the segment's " + descriptor.access());
        }
        ImportRequest request = new ImportRequest(descriptor, token, access, options.importTimeout());
        return adopt(
                recorded(
                        PerfStage.IMPORT_SEGMENT,
                        () -> provider.importSegment(request)
                                .thenApply(handle -> new RemoteSegment(this, descriptor, handle))),
                ClosingRank.REMOTE_SEGMENT,
                RemoteSegment::abandon,
                handing);
    }

    /** Imports the segment of a line from {@link LocalSegment#share()}. */
    public RemoteSegment importSegment(SharedSegment shared) {
        return importSegment(shared.descriptor(), shared.token());
    }

    /**
     * Finds a segment by the name under which a process of this user published it.
     *
     * @throws UrmaException EINVAL if the name is invalid or not published; ETIMEOUT if its home does not answer
     */
    public SharedSegment lookup(String publishedName) {
        NamedSegment found = find(publishedName);
        Token token = found.token();
        if (token == null) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    "'" + publishedName + "' was published without its token; is it a region?");
        }
        return new SharedSegment(found.descriptor(), token);
    }

    private NamedSegment find(String publishedName) {
        life.checkOpen();
        String checked = PublishedName.checked(this, publishedName);
        return meter.timed(
                PerfStage.LOOKUP, () -> Await.result(this, provider.lookup(checked, options.importTimeout())));
    }

    /**
     * Creates a region: a name for segments, possibly of several homes, that other contexts see as one address space
     * (S7.12).
     *
     * @param name 1…255 letters, digits, {@code . _ -}
     * @param token required to attach
     * @throws UrmaException EEXIST if the name is taken, by a segment or a region
     */
    public Region createRegion(String name, Token token) {
        life.checkOpen();
        return children.add(Region.create(this, PublishedName.checked(this, name), token), ClosingRank.COMFORT);
    }

    /**
     * Attaches to a region of any owner (S7.12).
     *
     * @throws UrmaException EINVAL if no region has that name; ENOPERM if the token is wrong; ETIMEOUT if its owner does
     *     not answer
     */
    public RemoteRegion importRegion(String name, Token token) {
        NamedSegment found = find(name);
        return children.add(
                RemoteRegion.open(this, name, importSegment(found.descriptor(), token, Access.READ)),
                ClosingRank.COMFORT);
    }

    /** All names that processes of this user published in the directory of this device. */
    public List<PublishedName> publishedNames() {
        life.checkOpen();
        return Await.result(this, provider.published(options.importTimeout())).stream()
                .map(UrmaContext::toName)
                .toList();
    }

    private static PublishedName toName(PublishedSegment segment) {
        return new PublishedName(segment.name(), segment.descriptor(), segment.home(), segment.users());
    }

    /**
     * Inspects the other contexts of this user in all processes that share this device's directory: their objects of these
     * kinds. Inspection costs them only the reading; token values are never shown. Blocks at most the import timeout; the
     * view of a context that does not answer says so.
     */
    public List<ContextView> inspect(Set<Resource.Kind> kinds) {
        life.checkOpen();
        return Await.result(this, provider.inspect(kinds, options.importTimeout()));
    }

    /**
     * Starts or stops measuring the stages of other contexts of this user, as found by {@link #inspect}; {@link
     * Resource.Kind#PERF} shows the results. A start discards earlier results. A context that is not measured has no
     * overhead. Blocks at most the import timeout.
     *
     * @param pid of the process whose contexts are meant; empty for all
     * @return the contexts that were notified, without resources; the view of one that does not answer says so
     */
    public List<ContextView> measure(boolean on, OptionalLong pid) {
        life.checkOpen();
        return Await.result(this, provider.measure(on, pid, options.importTimeout()));
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
        return MessageChannel.open(this, MessageChannel.Options.DEFAULT);
    }

    /** Opens a message channel. */
    public MessageChannel openMessageChannel(MessageChannel.Options channelOptions) {
        return MessageChannel.open(this, channelOptions);
    }

    /** Opens the reading end of a pipe of {@link PipeReader#DEFAULT_CAPACITY_BYTES}. */
    public PipeReader openPipe() {
        return PipeReader.open(this, PipeReader.DEFAULT_CAPACITY_BYTES);
    }

    /**
     * Opens the reading end of a pipe: the fastest way to receive messages from one peer.
     *
     * @param capacityBytes maximum unread bytes; a power of two from 4 KiB to 1 GiB, more than twice the longest message
     */
    public PipeReader openPipe(int capacityBytes) {
        return PipeReader.open(this, capacityBytes);
    }

    /**
     * Opens the writing end of a pipe by the line of {@link PipeReader#share}, or by {@code name:orders} of one that its
     * reader has {@linkplain PipeReader#publish published}. Blocks at most the import timeout.
     *
     * @throws DescriptorException if the line was changed
     * @throws UrmaException EINVAL if it is not of a pipe; EEXIST if the pipe has or had another writer; ENOPERM if its
     *     reader refuses, ETIMEOUT if it cannot be reached
     */
    public PipeWriter openPipeTo(String lineOrName) {
        return PipeWriter.open(this, lineOrName);
    }

    /** Creates a completion event channel, on which threads wait for records. */
    public Jfce createJfce() {
        life.checkOpen();
        return children.add(new Jfce(this), ClosingRank.JFCE);
    }

    /** Creates a queue for the results of asynchronous calls (S5.9). */
    public Notifier createNotifier() {
        life.checkOpen();
        return children.add(new Notifier(this), ClosingRank.COMFORT);
    }

    /** Creates a completion queue without events. */
    public Jfc createJfc(JfcConfig config) {
        return createJfc(config, null);
    }

    /**
     * Creates a completion queue.
     *
     * @param jfce for its events; null if it is only polled
     * @throws UrmaException EINVAL for a depth outside 1…limit; ENOMEM if there is not enough memory
     */
    public Jfc createJfc(JfcConfig config, @Nullable Jfce jfce) {
        life.checkOpen();
        Checks.inRange(
                this, "depth of the JFC", config.depth(), 1, attributes.limits().jfcDepth());
        checkModeration(config);
        return meter.timed(
                PerfStage.CREATE_JFC,
                () -> meter.adopted(children.add(Jfc.create(this, provider, config, jfce), ClosingRank.JFC)));
    }

    private void checkModeration(JfcConfig config) {
        Checks.inRange(this, "moderationCount", config.moderationCount(), 1, config.depth());
        boolean endless = config.moderationPeriod().isNegative()
                || (config.moderationCount() > 1 && config.moderationPeriod().isZero());
        if (endless) {
            throw Checks.invalid(
                    this,
                    "moderationPeriod is " + config.moderationPeriod() + ": an event could wait forever for "
                            + config.moderationCount() + " records");
        }
    }

    /** Creates a receive queue whose records go to {@code jfc}: for RM or UM alone, or for a Jetty of any mode. */
    public Jfr createJfr(Jfc jfc, JfrConfig config) {
        life.checkOpen();
        checkMode(config.mode(), config.orderType());
        Checks.inRange(this, "id", config.id(), 0, JettyId.MAX);
        Checks.inRange(
                this, "depth of the JFR", config.depth(), 1, attributes.limits().jfrDepth());
        Checks.inRange(this, "maxSges", config.maxSges(), 1, attributes.limits().sges());
        Checks.inRange(this, "rxThreshold", config.rxThreshold(), 0, config.depth());
        checkPolicy(config.policy());
        checkMine(jfc.context(), jfc);
        return meter.timed(
                PerfStage.CREATE_JFR, () -> children.add(Jfr.create(this, provider, jfc, config), ClosingRank.JFR));
    }

    /** Creates a separate send queue, for RM and UM (S5.4). */
    public Jfs createJfs(Jfc jfc, JfsConfig config) {
        checkSendConfig(jfc, config);
        if (config.mode() == TransportMode.RC) {
            throw Checks.invalid(this, "mode RC supports only Jetties; use createJetty");
        }
        return meter.timed(
                PerfStage.CREATE_SEND_QUEUE,
                () -> meter.adopted(children.add(Jfs.create(this, provider, jfc, config), ClosingRank.JFS)));
    }

    /**
     * Creates a Jetty: a send queue, with {@code jfr} as its receive half.
     *
     * @throws UrmaException EINVAL if mode or order type of the two differ (S5.3)
     */
    public Jetty createJetty(Jfc jfc, Jfr jfr, JfsConfig config) {
        return createJetty(jfc, jfr, config, null);
    }

    /**
     * Creates a Jetty whose receive records go to a separate JFC, although it shares {@code jfr} with others (S5.3).
     *
     * @param receiveJfc for its receive records; null for the JFR's
     */
    public Jetty createJetty(Jfc jfc, Jfr jfr, JfsConfig config, @Nullable Jfc receiveJfc) {
        checkSendConfig(jfc, config);
        checkMine(jfr.context(), jfr);
        if (receiveJfc != null) {
            checkMine(receiveJfc.context(), receiveJfc);
        }
        jfr.checkAgrees(config);
        return meter.timed(PerfStage.CREATE_SEND_QUEUE, () -> {
            Jfs jfs = Jfs.create(this, provider, jfc, config, jfr, receiveJfc);
            return meter.adopted(children.add(new Jetty(this, jfs, jfr), ClosingRank.JETTY));
        });
    }

    /** Creates a group for RM Jetties, without members (S5.5). */
    public JettyGroup createJettyGroup(JettyGroupConfig config) {
        life.checkOpen();
        checkMode(TransportMode.RM, OrderType.DEF);
        Checks.inRange(this, "id", config.id(), 0, JettyId.MAX);
        checkPolicy(config.policy());
        return children.add(new JettyGroup(this, provider, config), ClosingRank.JETTY_GROUP);
    }

    private void checkSendConfig(Jfc jfc, JfsConfig config) {
        life.checkOpen();
        checkMode(config.mode(), config.orderType());
        Checks.inRange(this, "id", config.id(), 0, JettyId.MAX);
        Checks.inRange(
                this, "depth of the JFS", config.depth(), 1, attributes.limits().jfsDepth());
        Checks.inRange(this, "maxSges", config.maxSges(), 1, attributes.limits().sges());
        Checks.inRange(
                this,
                "maxInlineBytes",
                config.maxInlineBytes(),
                0,
                attributes.limits().inlineBytes());
        Checks.inRange(this, "rnrRetry", config.rnrRetry(), 0, 7);
        Checks.inRange(this, "priority", config.priority(), 0, JfsConfig.MAX_PRIORITY);
        Checks.positive(this, "timeout", config.timeout());
        Checks.inRange(this, "signalEvery", config.signalEvery(), 0, config.depth());
        checkErrorScope(config);
        checkMine(jfc.context(), jfc);
    }

    private void checkErrorScope(JfsConfig config) {
        if (config.errorScope() == ErrorScope.TARGET && config.mode() != TransportMode.RM) {
            throw Checks.invalid(this, "errorScope TARGET exists only in mode RM, not in " + config.mode());
        }
        if (config.errorScope() == ErrorScope.TARGET && config.errorSuspend()) {
            throw Checks.invalid(this, "errorSuspend and errorScope TARGET exclude each other");
        }
    }

    private void checkMode(TransportMode mode, OrderType orderType) {
        if (!attributes.capabilities().modes().contains(mode)) {
            throw Checks.invalid(
                    this,
                    "mode " + mode + " is not one of "
                            + attributes.capabilities().modes());
        }
        if (!orderType.isLegalFor(mode)) {
            throw Checks.invalid(this, "order type " + orderType + " does not exist in mode " + mode);
        }
    }

    private void checkMine(UrmaContext context, Object handle) {
        if (context != this) {
            throw Checks.invalid(this, handle + " belongs to " + context);
        }
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
     *
     * @throws DescriptorException if the line was changed
     * @throws UrmaException EINVAL if the name is not published, or not that of a queue
     */
    public TargetJetty importJetty(String lineOrName) {
        return importJetty(SharedJetty.find(this, lineOrName));
    }

    /** The asynchronous form of {@link #importJetty(JettyDescriptor, Token)}. */
    public CompletableFuture<TargetJetty> importJettyAsync(JettyDescriptor descriptor, @Nullable Token token) {
        return beginImport(descriptor, token, options.importTimeout(), ResultExecutors.VIRTUAL_THREADS);
    }

    private CompletableFuture<TargetJetty> beginImport(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout, Executor handing) {
        life.checkOpen();
        if (descriptor.policy() != TokenPolicy.NONE && token == null) {
            throw Checks.invalid(this, "the Jetty's policy is " + descriptor.policy() + ", but token is null");
        }
        return adopt(
                recorded(
                        PerfStage.IMPORT_QUEUE,
                        () -> provider.importQueue(descriptor, token, timeout)
                                .thenApply(handle -> new TargetJetty(this, descriptor, handle))),
                ClosingRank.TARGET,
                TargetJetty::abandon,
                handing);
    }

    /** Imports the reply address of a message; blocks at most {@code timeout}, or the import timeout if that is shorter. */
    TargetJetty importJetty(SharedJetty shared, Duration timeout) {
        Duration most = options.importTimeout();
        Duration least = timeout.compareTo(most) < 0 ? timeout : most;
        return Await.result(this, beginImport(shared.descriptor(), shared.token(), least, ResultExecutors.AT_ONCE));
    }

    /** {@link ProviderContext#leadsTo}. */
    boolean leadsTo(JettyDescriptor descriptor, JettyId source) {
        return provider.leadsTo(descriptor, source);
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
        return children;
    }

    boolean isClosed() {
        return life.isClosed();
    }

    /** Closes all objects of the context, users first, within the close timeout, and notifies the peers. Idempotent. */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        closeDeadlineNanos = Nanos.deadlineAfter(options.closeTimeout());
        siblings.remove(this);
        Flight.contextClosed(this);
        RuntimeException failure = children.closeAll(closeBudget());
        try {
            Await.uninterrupted(this, provider.close(closeBudget()));
        } catch (UrmaException e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** How long a child may take to close: the rest of the close timeout if the whole tree is being closed. */
    Duration closeBudget() {
        if (!life.isClosed()) {
            return options.closeTimeout();
        }
        long leftNanos = closeDeadlineNanos - System.nanoTime();
        return Duration.ofNanos(Math.max(leftNanos, MIN_BUDGET_NANOS));
    }

    /** Closes only if nothing in it is open; otherwise EAGAIN, naming the open objects (S4.1). */
    public void closeIfUnused() {
        if (!life.isClosed()) {
            children.endIfEmpty();
        }
        close();
    }

    /**
     * Closes objects of this context, in order.
     *
     * @throws UrmaException EINVAL if one is null or of another context: then none is closed
     * @throws BatchCloseException if one refuses, with its index: those before it are closed, those after it are not
     */
    public void closeAll(List<? extends @Nullable ContextObject> objects) {
        Batch.close(this, objects);
    }

    @Override
    public String toString() {
        return name;
    }
}
