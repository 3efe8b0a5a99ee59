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
 * An address space on a device: owner of segments and queues, and importer of those of others.
 *
 * <p>Safe for any number of threads. Nothing of one context works in another, except through import.
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
    private final Runnable recordedPaths; // ends their recording
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
        this.recordedPaths = Flight.paths(name, provider::paths);
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

    /** What happens here without a call. */
    public AsyncEvents events() {
        return events;
    }

    /** Memory that can be registered and shared: zeroed, page-aligned. */
    public SharedMemory allocate(long lengthBytes) {
        return allocate(lengthBytes, AllocOptions.DEFAULT);
    }

    /**
     * Memory that can be registered and shared: zeroed, page-aligned.
     *
     * @throws UrmaException EINVAL for a length outside 1…limit; ENOMEM when the machine or the cgroup cannot give it
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
     * Registers the whole of {@code memory}: from now on operations of this context may use it, and, unless the access
     * is LOCAL_ONLY, peers with the token may import it.
     *
     * @throws UrmaException EINVAL for closed or another context's memory, or a policy that the device lacks
     */
    public LocalSegment register(SharedMemory memory, Access access, TokenPolicy policy, Token token) {
        return register(memory, SegmentConfig.of(access).withPolicy(policy).withToken(token));
    }

    /**
     * Registers the whole of {@code memory}.
     *
     * @throws UrmaException EINVAL for closed or another context's memory or token id, a policy that the device lacks, a
     *     token id that another segment uses when the device allows one only, or isolation of memory that others share
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
     * Registers native memory of the caller's as source and destination of this context's own operations. It must stay
     * alive until the segment is closed.
     *
     * @throws UrmaException EINVAL for heap memory, empty memory, or an access that the device cannot give to memory
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

    /** An import, told to the Flight Recorder with how long it took. */
    private <T> CompletableFuture<T> recorded(PerfStage stage, Supplier<CompletableFuture<T>> importing) {
        Flight.Step step = Flight.importing(this);
        long begun = meter.begin();
        return importing.get().whenComplete((made, failure) -> {
            meter.end(stage, begun);
            step.end(made == null ? "-" : made, failure == null ? "SUCCESS" : Await.causeOf(failure));
        });
    }

    /**
     * Makes what a provider made a child of this context, and hands it to who asked. When this context was closed
     * meanwhile, or who asked waits no more, nobody could close it: then it is abandoned.
     *
     * @param abandon begins the child's end without waiting, since this may be a thread that others wait for
     * @param handing where the result reaches who asked
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

    /** Imports a segment with all the access that its descriptor offers. Blocks at most the import timeout. */
    public RemoteSegment importSegment(SegmentDescriptor descriptor, @Nullable Token token) {
        return importSegment(descriptor, token, descriptor.access());
    }

    /**
     * Imports a segment of another address space, or of this one.
     *
     * @param access what is wanted of it
     * @throws UrmaException EINVAL when the descriptor is LOCAL_ONLY or needs a token and none is given; ENOPERM when
     *     the descriptor offers less, or the home refuses; ETIMEOUT when it cannot be reached
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

    /** Imports what {@link LocalSegment#share()} wrote. */
    public RemoteSegment importSegment(SharedSegment shared) {
        return importSegment(shared.descriptor(), shared.token());
    }

    /**
     * Finds a segment by the name under which a process of this user published it.
     *
     * @throws UrmaException EINVAL when it is no name, or nobody published it; ETIMEOUT when its home does not answer
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
     * Makes a region: a name for segments, possibly of several homes, that others see as one space of offsets (S7.12).
     *
     * @param name 1…255 letters, digits, {@code . _ -}
     * @param token what others need to attach
     * @throws UrmaException EEXIST when the name is taken, by a segment or a region
     */
    public Region createRegion(String name, Token token) {
        life.checkOpen();
        return children.add(Region.create(this, PublishedName.checked(this, name), token), ClosingRank.COMFORT);
    }

    /**
     * Attaches to a region of any owner (S7.12).
     *
     * @throws UrmaException EINVAL when nobody has a region of that name; ENOPERM when the token is wrong; ETIMEOUT when
     *     its owner does not answer
     */
    public RemoteRegion importRegion(String name, Token token) {
        NamedSegment found = find(name);
        return children.add(
                RemoteRegion.open(this, name, importSegment(found.descriptor(), token, Access.READ)),
                ClosingRank.COMFORT);
    }

    /** All names that processes of this user published where this device looks for names. */
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
     * Looks into the other contexts of this user, in all processes where this device looks for names: what they have of
     * these kinds. It costs them no more than the reading; token values are never shown. Blocks at most the import
     * timeout; a context that does not answer says so in its place.
     */
    public List<ContextView> inspect(Set<Resource.Kind> kinds) {
        life.checkOpen();
        return Await.result(this, provider.inspect(kinds, options.importTimeout()));
    }

    /**
     * The transport paths of this context to its peers, by number, with a snapshot of their counters. The counters of a path end
     * with it.
     */
    public List<TransportPath> paths() {
        life.checkOpen();
        return provider.paths();
    }

    /**
     * Has other contexts of this user, as {@link #inspect} sees them, take the times of their steps, or ends that; {@link
     * Resource.Kind#PERF} shows what they found. To begin forgets what was found before. A context that is not being
     * measured pays nothing for it. Blocks at most the import timeout.
     *
     * @param pid of the process whose contexts are meant; empty for all
     * @return whom it was said to, without resources; one that does not answer says so in its place
     */
    public List<ContextView> measure(boolean on, OptionalLong pid) {
        life.checkOpen();
        return Await.result(this, provider.measure(on, pid, options.importTimeout()));
    }

    /**
     * Remote memory as simple calls, by a line from {@link LocalSegment#share()} or by {@code kind:name} of a published
     * segment, for example {@code shm:orders}; {@code name:orders} is one of this device, whatever its kind.
     */
    public RemoteMemory importMemory(String lineOrName) {
        return RemoteMemory.open(this, lineOrName);
    }

    /** Messages as simple calls. */
    public MessageChannel openMessageChannel() {
        return MessageChannel.open(this, MessageChannel.Options.DEFAULT);
    }

    /** Messages as simple calls. */
    public MessageChannel openMessageChannel(MessageChannel.Options channelOptions) {
        return MessageChannel.open(this, channelOptions);
    }

    /** The reading end of a pipe of {@link PipeReader#DEFAULT_CAPACITY_BYTES}. */
    public PipeReader openPipe() {
        return PipeReader.open(this, PipeReader.DEFAULT_CAPACITY_BYTES);
    }

    /**
     * The reading end of a pipe: the shortest way for messages from one other.
     *
     * @param capacityBytes how much may wait to be read; a power of two from 4 KiB to 1 GiB, more than twice the longest
     *     message
     */
    public PipeReader openPipe(int capacityBytes) {
        return PipeReader.open(this, capacityBytes);
    }

    /**
     * The writing end of the pipe that {@link PipeReader#share} told of, or {@code name:orders} of one that its reader has
     * {@linkplain PipeReader#publish published}. Blocks at most the import timeout.
     *
     * @throws DescriptorException when the line is not as it was written
     * @throws UrmaException EINVAL when it is not of a pipe; EEXIST when that has or had another writer; ENOPERM when its
     *     reader refuses, ETIMEOUT when it cannot be reached
     */
    public PipeWriter openPipeTo(String lineOrName) {
        return PipeWriter.open(this, lineOrName);
    }

    /** A completion event channel: where threads wait for records. */
    public Jfce createJfce() {
        life.checkOpen();
        return children.add(new Jfce(this), ClosingRank.JFCE);
    }

    /** Where results of asynchronous calls are queued (S5.9). */
    public Notifier createNotifier() {
        life.checkOpen();
        return children.add(new Notifier(this), ClosingRank.COMFORT);
    }

    /** A completion queue that is only polled. */
    public Jfc createJfc(JfcConfig config) {
        return createJfc(config, null);
    }

    /**
     * A completion queue.
     *
     * @param jfce where its events go; null when it is only polled
     * @throws UrmaException EINVAL for a depth outside 1…limit; ENOMEM when there is no room for it
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

    /** A receive queue whose records go to {@code jfc}. RM or UM alone, or for a Jetty of any mode. */
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

    /** A send queue of its own, for RM and UM (S5.4). */
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
     * A Jetty: a send queue, and {@code jfr} to receive with.
     *
     * @throws UrmaException EINVAL when mode or order type of the two differ (S5.3)
     */
    public Jetty createJetty(Jfc jfc, Jfr jfr, JfsConfig config) {
        return createJetty(jfc, jfr, config, null);
    }

    /**
     * A Jetty whose receive records go to a JFC of its own, though it shares {@code jfr} with others (S5.3).
     *
     * @param receiveJfc where they go; null for the JFR's
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

    /** A group for RM Jetties, without members (S5.5). */
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

    /** Imports what {@link Jfr#share()} wrote. */
    public TargetJetty importJetty(SharedJetty shared) {
        return importJetty(shared.descriptor(), shared.token());
    }

    /**
     * Imports what {@link Jfr#share} or {@link Jetty#share} wrote, or {@code name:orders} of a queue that its owner has
     * {@linkplain Jfr#publish published}. Blocks at most the import timeout.
     *
     * @throws DescriptorException when the line is not as it was written
     * @throws UrmaException EINVAL when nothing here has the name, or what has it is no queue
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

    /** Imports what a message names for its answer; blocks at most {@code timeout}, or the import timeout where that is less. */
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

    /** Closes everything in it, users first, within the close timeout, and tells the peers. Idempotent. */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        closeDeadlineNanos = Nanos.deadlineAfter(options.closeTimeout());
        siblings.remove(this);
        recordedPaths.run();
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

    /** How long a child may take to close: what is left of the close timeout when the whole tree is being closed. */
    Duration closeBudget() {
        if (!life.isClosed()) {
            return options.closeTimeout();
        }
        long leftNanos = closeDeadlineNanos - System.nanoTime();
        return Duration.ofNanos(Math.max(leftNanos, MIN_BUDGET_NANOS));
    }

    /** Closes only when nothing in it is open; EAGAIN naming what is, else (S4.1). */
    public void closeIfUnused() {
        if (!life.isClosed()) {
            children.endIfEmpty();
        }
        close();
    }

    /**
     * Closes objects of this context, in their order.
     *
     * @throws UrmaException EINVAL when one is null or of another context: then none is closed
     * @throws BatchCloseException when one refuses, saying which: those before it are closed, those behind it are not
     */
    public void closeAll(List<? extends @Nullable ContextObject> objects) {
        Batch.close(this, objects);
    }

    @Override
    public String toString() {
        return name;
    }
}
