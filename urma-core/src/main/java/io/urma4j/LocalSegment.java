package io.urma4j;

import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.PublishedNames;
import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.PerfStage;
import io.urma4j.peer.PeerRegion;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.SegmentRequest;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Registered memory of this process. Safe for any number of threads. */
public final class LocalSegment implements ContextObject {
    private static final System.Logger LOG = System.getLogger(LocalSegment.class.getName());

    private final UrmaContext context;
    private final @Nullable SharedMemory shared;
    private final ProviderSegment provider;
    private final @Nullable MemorySegment memory; // null for device memory
    private final @Nullable DeviceBacking device;
    private final boolean readOnly;
    private final long lengthBytes;
    private final Access access;
    private final boolean secret;
    private final @Nullable TokenId tokenId; // null when it has one of its own
    private final Lifetime life = new Lifetime(this);
    private final CompletableFuture<Revocation> revocation = new CompletableFuture<>();
    private volatile boolean closed; // read by each post; the same as life.isClosed(), one hop nearer

    LocalSegment(
            UrmaContext context,
            @Nullable SharedMemory shared,
            @Nullable DeviceBacking device,
            @Nullable TokenId tokenId,
            SegmentRequest request,
            ProviderSegment provider) {
        this.context = context;
        this.shared = shared;
        this.device = device;
        this.provider = provider;
        this.memory = device == null ? memoryOf(request) : null;
        this.readOnly = memory != null && memory.isReadOnly();
        this.lengthBytes = lengthOf(request);
        this.access = request.access();
        this.secret = request.policy() != TokenPolicy.NONE;
        this.tokenId = tokenId;
    }

    /** Registers; a failure leaves memory and token id as they were, and device memory unpinned. */
    static CompletableFuture<LocalSegment> begin(
            UrmaContext context,
            ProviderContext provider,
            @Nullable SharedMemory memory,
            @Nullable DeviceBacking device,
            @Nullable TokenId tokenId,
            SegmentRequest request) {
        Registration begun = new Registration(memory, device, tokenId);
        try {
            begun.hold();
            var _ = provider.register(request)
                    .thenCompose(handle ->
                            begun.handOver(new LocalSegment(context, memory, device, tokenId, request, handle)))
                    .whenComplete((made, failure) -> begun.end(made, failure));
        } catch (RuntimeException e) {
            begun.end(null, e);
        }
        return begun.result;
    }

    private static MemorySegment memoryOf(SegmentRequest request) {
        if (request.memory() != null) {
            return request.memory().segment();
        }
        return Checks.notNull("segment", "memory", request.foreign());
    }

    private static long lengthOf(SegmentRequest request) {
        PeerRegion region = request.region();
        return region == null ? memoryOf(request).byteSize() : region.range().lengthBytes();
    }

    /**
     * The bytes, for plain loads and stores.
     *
     * @throws UrmaException EINVAL for device memory, which the host cannot load from
     */
    public MemorySegment memory() {
        life.checkOpen();
        if (memory == null) {
            throw Checks.invalid(
                    this, "lies in " + device + ", which the host reaches by copies alone: DeviceMemory.copyTo");
        }
        return memory;
    }

    /** Whether the host can load from it. */
    public MemoryKind memoryKind() {
        return device == null ? MemoryKind.HOST : MemoryKind.DEVICE;
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    public Access access() {
        return access;
    }

    /** The number by which peers find it. */
    public int tokenId() {
        return provider.tokenId();
    }

    /** The secret that importers need. */
    public Token token() {
        return provider.token();
    }

    /**
     * Replaces the token: importers need {@code next} from now on, and all current importers lose the segment as by {@link
     * #unregister} (S7.5). The segment stays registered and keeps its names. Blocks at most {@code timeout}.
     *
     * @return whether all importers have released it, or which have not at the timeout; the new token is valid either way
     * @throws UrmaException EINVAL under policy NONE, for a LOCAL_ONLY segment, or for its current token
     */
    public Revocation rotateToken(Token next, Duration timeout) {
        checkShareable();
        if (!secret) {
            throw Checks.invalid(this, "has policy NONE, and so no token to rotate");
        }
        if (next.equals(provider.token())) {
            throw Checks.invalid(this, "already has that token");
        }
        return Await.uninterrupted(this, provider.rotate(next, timeout));
    }

    /** What a peer needs to import it, except the token. */
    public SegmentDescriptor descriptor() {
        checkShareable();
        return provider.descriptor();
    }

    /** Descriptor and token as one line for any side channel; {@link UrmaContext#importMemory} reads it. */
    public String share() {
        return new SharedSegment(descriptor(), token()).toLine();
    }

    /**
     * Publishes the segment under a name for processes of this user on this host, until it is closed.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST if another segment has the name; EINVAL for a windows-only segment, or device memory
     */
    public void publish(String name) {
        publish(name, true);
    }

    /** Publishes the segment; with {@code withToken}, the name alone grants access. */
    void publish(String name, boolean withToken) {
        checkShareable();
        if (provider.descriptor().capabilities().windowsOnly()) {
            throw Checks.invalid(this, "is windows-only: a name opens none of its windows; pass on its descriptor");
        }
        Await.result(this, provider.publish(PublishedNames.checked(this, name), withToken));
    }

    /**
     * Runs {@code onNotify} after each value that a peer's WRITE_NOTIFY stores into the segment, after a full fence. It
     * runs on any thread, so it must return at once.
     *
     * @return false if peers store to the memory directly, so that this process does not notice
     */
    boolean watch(Runnable onNotify) {
        return provider.watch(onNotify);
    }

    private void checkShareable() {
        life.checkOpen();
        if (access == Access.LOCAL_ONLY) {
            throw Checks.invalid(this, "is LOCAL_ONLY and cannot be imported");
        }
    }

    /** A description of each current importer. */
    public List<String> importers() {
        life.checkOpen();
        return provider.importers();
    }

    /** The current importers, which may be granted windows. */
    public List<Importer> importing() {
        life.checkOpen();
        return provider.importing();
    }

    /**
     * Grants an importer a window of the segment, without a round trip (S7.10). The key is valid for exactly this range and
     * this import, until it is revoked. The grant is enforced by importers that follow the protocol (S7.7).
     *
     * @throws UrmaException EINVAL for a range outside, LOCAL_ONLY, an importer that has released the segment, an isolated
     *     segment, or atomics on a window that does not start at a multiple of 8; ENOPERM for more access than the importer
     *     has; ENOMEM if the limit of concurrent windows is reached
     */
    public WindowGrant grant(Importer importer, long offset, long length, Access granted) {
        checkWindow(offset, length, granted);
        return new WindowGrant(provider.grant(importer, offset, length, granted));
    }

    /**
     * Grants a peer a window of the segment, without a round trip, and before the peer has imported the segment (S14.32). The
     * key is valid for exactly this range, and for every import of the segment by the context that proves this identity. A
     * live grant also permits that context the import of a windows-only segment. The grant ends with {@link
     * WindowGrant#takeBack}, with the segment, and with a peer that has imported it and is gone. A peer that never connects
     * ends nothing.
     *
     * @param peer from the peer's {@link UrmaContext#peerId}
     * @throws UrmaException EINVAL for a range outside, LOCAL_ONLY, access beyond the segment's, an isolated segment, or
     *     atomics on a window that does not start at a multiple of 8; ENOMEM if the limit of concurrent windows is reached
     */
    public WindowGrant grant(PeerId peer, long offset, long length, Access granted) {
        checkWindow(offset, length, granted);
        checkCovers(granted);
        return new WindowGrant(provider.grant(peer, offset, length, granted));
    }

    /**
     * Grants a range of this windows-only segment to the peer that an RC Jetty of the same context is bound to by a RoCE endpoint,
     * without a round trip (S7.16). Its address and rkey are valid for exactly this range and on this connection alone. The grant
     * ends with {@link RoceGrant#takeBack}, with the binding, and with the segment.
     *
     * @throws UrmaException EINVAL for a Jetty that is not bound, or is bound to a peer that runs urma4j, for a segment that is
     *     not windows-only (a message of the peer could revoke it for all), and otherwise as {@link #grant(PeerId, long, long,
     *     Access)}; ENOMEM if the limit of concurrent windows is reached
     */
    public RoceGrant grant(Jetty jetty, long offset, long length, Access granted) {
        checkWindow(offset, length, granted);
        checkCovers(granted);
        Checks.belongs(this, jetty, context);
        if (!provider.descriptor().capabilities().windowsOnly()) {
            throw Checks.invalid(this, "is not windows-only, as a range for a RoCE peer needs");
        }
        return new RoceGrant(provider.grant(jetty.jfs().provider(), offset, length, granted), length);
    }

    private void checkCovers(Access granted) {
        if (!access.covers(granted)) {
            throw Checks.invalid(this, "has access " + access + ", and a window as " + granted + " is more");
        }
    }

    private void checkWindow(long offset, long length, Access granted) {
        checkShareable();
        Checks.range(this, offset, length, lengthBytes);
        Checks.window(this, offset, length, granted);
    }

    /** Checks of each post: the segment is open, belongs to that context, and contains the range. */
    ProviderSegment checked(UrmaContext user, long offset, long length) {
        if (closed || user != context || (offset | length) < 0 || offset > lengthBytes - length) {
            throw refusal(user, offset, length);
        }
        return provider;
    }

    /** The same of each post whose result is stored there: the memory is not read-only. */
    ProviderSegment checkedAsDestination(UrmaContext user, long offset, long length) {
        if (readOnly) {
            throw Checks.invalid(this, "is read-only memory, which takes no bytes");
        }
        return checked(user, offset, length);
    }

    private RuntimeException refusal(UrmaContext user, long offset, long length) {
        if (closed) {
            return Checks.closed(this);
        }
        if (user != context) {
            return Checks.invalid(this, "belongs to " + context + ", not to " + user);
        }
        return Checks.outOfRange(this, offset, length, lengthBytes);
    }

    /**
     * Revokes the segment from all importers and ends the registration; the memory stays. Blocks until no remote operation
     * touches the memory any more, at most {@code timeout} (S7.9). Idempotent: a second call waits for the same result.
     *
     * @throws UrmaException EAGAIN while unfinished work requests of this process name it
     */
    public Revocation unregister(Duration timeout) {
        Checks.notNull(this, "timeout", timeout);
        Checks.nothingUnfinished(this, life, provider.unfinished());
        if (life.end()) {
            revoke(timeout);
        }
        return Await.uninterrupted(this, revocation);
    }

    /** Starts to close without waiting, unless the segment is in use. */
    void abandon() {
        if (provider.unfinished() == 0 && life.endUnlessHeld()) {
            revoke(context.life().budget());
        }
    }

    /** Called by the thread that ended the segment's lifetime. */
    private void revoke(Duration timeout) {
        closed = true;
        context.children().remove(this);
        Flight.Step revoking = Flight.revoking();
        long begun = context.meter().begin();
        var _ = Await.begun(() -> ended(timeout)).whenComplete((result, failure) -> {
            context.meter().end(PerfStage.UNREGISTER, begun);
            revoking.end(this, failure == null ? result : failure);
            if (shared != null) {
                shared.life().release(this); // before the waiting thread continues and closes the memory
            }
            if (tokenId != null) {
                tokenId.release(this);
            }
            Await.passOn(result, failure, revocation);
        });
    }

    private CompletableFuture<Revocation> ended(Duration timeout) {
        CompletableFuture<Revocation> revoked = provider.unregister(timeout);
        return device == null ? revoked : revoked.thenCompose(device::release);
    }

    /** The result of the revocation; empty while the segment is registered, or while the revocation is in progress. */
    public Optional<Revocation> revocation() {
        return revocation.isDone() && !revocation.isCompletedExceptionally()
                ? Optional.of(revocation.join())
                : Optional.empty();
    }

    /**
     * {@link #unregister} within the context's close timeout. If it ends in quarantine, the log and {@link #revocation}
     * name the importers.
     */
    @Override
    public void close() {
        Revocation result = unregister(context.life().budget());
        if (!result.isComplete()) {
            LOG.log(Level.WARNING, "{0} is quarantined: not released by {1}", this, result.importers());
        }
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    /** Where its bytes are, for display. */
    String place() {
        return memory != null
                ? "0x" + Long.toHexString(memory.address())
                : Checks.notNull(this, "device", device).place();
    }

    ProviderSegment provider() {
        return provider;
    }

    @Override
    public String toString() {
        return "segment " + context.uasid() + "/" + provider.tokenId() + " of " + lengthBytes + " bytes";
    }

    /** A registration in progress: it keeps memory and token id from going until the segment does so itself. */
    private static final class Registration {
        private final @Nullable SharedMemory memory;
        private final @Nullable DeviceBacking device;
        private final @Nullable TokenId tokenId;
        private final CompletableFuture<LocalSegment> result = new CompletableFuture<>();

        private Registration(@Nullable SharedMemory memory, @Nullable DeviceBacking device, @Nullable TokenId tokenId) {
            this.memory = memory;
            this.device = device;
            this.tokenId = tokenId;
        }

        private void hold() {
            if (memory != null) {
                memory.life().retain(this);
            }
            if (tokenId != null) {
                tokenId.use(this);
            }
        }

        /** If the memory has been closed meanwhile, the registration ends. */
        private CompletableFuture<LocalSegment> handOver(LocalSegment made) {
            try {
                pass(made);
                return CompletableFuture.completedFuture(made);
            } catch (RuntimeException e) {
                if (memory != null) {
                    memory.life().release(made);
                }
                return made.provider.unregister(Duration.ZERO).handle((_, _) -> {
                    throw e;
                });
            }
        }

        private void pass(LocalSegment made) {
            if (device != null) {
                device.activate(made, made.provider, () -> !made.closed);
            }
            if (memory != null) {
                memory.life().retain(made);
            }
            if (tokenId != null) {
                tokenId.pass(this, made);
            }
            Flight.segmentRegistered(made, made.access());
        }

        private void end(@Nullable LocalSegment made, @Nullable Throwable failure) {
            if (memory != null) {
                memory.life().release(this);
            }
            if (tokenId != null) {
                tokenId.release(this);
            }
            var freed = device == null || failure == null ? CompletableFuture.completedFuture(null) : device.abandon();
            var _ = freed.thenRun(() -> Await.passOn(made, failure, result));
        }

        @Override
        public String toString() {
            return "a registration in progress";
        }
    }
}
