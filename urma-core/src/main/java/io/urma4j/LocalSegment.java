package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.PublishedNames;
import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.PerfStage;
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
    private final MemorySegment memory;
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
            @Nullable TokenId tokenId,
            SegmentRequest request,
            ProviderSegment provider) {
        this.context = context;
        this.shared = shared;
        this.provider = provider;
        this.memory = memoryOf(request);
        this.lengthBytes = memory.byteSize();
        this.access = request.access();
        this.secret = request.policy() != TokenPolicy.NONE;
        this.tokenId = tokenId;
    }

    /** Registers; when it fails, memory and token id are as they were. */
    static CompletableFuture<LocalSegment> begin(
            UrmaContext context,
            ProviderContext provider,
            @Nullable SharedMemory memory,
            @Nullable TokenId tokenId,
            SegmentRequest request) {
        Registration begun = new Registration(memory, tokenId);
        try {
            begun.hold();
            return provider.register(request)
                    .thenApply(handle -> begun.handOver(new LocalSegment(context, memory, tokenId, request, handle)))
                    .whenComplete((_, _) -> begun.release());
        } catch (RuntimeException e) {
            begun.release();
            throw e;
        }
    }

    private static MemorySegment memoryOf(SegmentRequest request) {
        if (request.memory() != null) {
            return request.memory().segment();
        }
        return Checks.notNull("segment", "memory", request.foreign());
    }

    /** The bytes, for plain loads and stores. */
    public MemorySegment memory() {
        life.checkOpen();
        return memory;
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    public Access access() {
        return access;
    }

    /** Number under which peers find it. */
    public int tokenId() {
        return provider.tokenId();
    }

    /** The secret that importers need. */
    public Token token() {
        return provider.token();
    }

    /**
     * Gives it a new token: who imports it from now on needs {@code next}, and everybody who has imported it loses it as
     * by {@link #unregister} (S7.5). The segment itself goes on, under its names, too. Blocks at most {@code timeout}.
     *
     * @return whether all importers have let go, or who has not within the timeout; the new token holds either way
     * @throws UrmaException EINVAL under policy NONE, for a LOCAL_ONLY segment, or for the token that it has
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
     * Makes it visible under a name to processes of this user on this host, until it is closed.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST when another segment has the name
     */
    public void publish(String name) {
        publish(name, true);
    }

    /** The same; {@code withToken} says whether the name alone opens it. */
    void publish(String name, boolean withToken) {
        checkShareable();
        Await.result(this, provider.publish(PublishedNames.checked(this, name), withToken));
    }

    /**
     * Has {@code onNotify} run after each value that a peer's WRITE_NOTIFY stores into it, behind a full fence: on any
     * thread, so it returns at once.
     *
     * @return false where peers store to the memory by themselves, and nothing here sees it
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

    /** One description per importer that has it now. */
    public List<String> importers() {
        life.checkOpen();
        return provider.importers();
    }

    /** Who has it now, and may be given windows of it. */
    public List<Importer> importing() {
        life.checkOpen();
        return provider.importing();
    }

    /**
     * Gives an importer a window of it, without a round trip (S7.10): the key opens exactly this range, for exactly this
     * import, until it is taken back. A grant binds importers that keep the rules (S7.7).
     *
     * @throws UrmaException EINVAL for a range outside, LOCAL_ONLY, an importer that has let go, a segment that is isolated,
     *     or atomics on a window that does not start at a multiple of 8; ENOPERM for more access than the importer has;
     *     ENOMEM when too many grants are out
     */
    public WindowGrant grant(Importer importer, long offset, long length, Access granted) {
        checkShareable();
        Checks.range(this, offset, length, lengthBytes);
        if (granted == Access.LOCAL_ONLY || length == 0) {
            throw Checks.invalid(
                    this,
                    "a window of " + length + " bytes with access " + granted
                            + " is invalid: it needs at least 1 byte and remote access");
        }
        if (granted == Access.READ_WRITE_ATOMIC && (offset & 7) != 0) {
            throw Checks.invalid(this, "offset " + offset + " of a window for atomics is not a multiple of 8");
        }
        return new WindowGrant(provider.grant(importer, offset, length, granted));
    }

    /** For each post: the segment is open, of that context, and holds the range. */
    ProviderSegment checked(UrmaContext user, long offset, long length) {
        if (closed || user != context || (offset | length) < 0 || offset > lengthBytes - length) {
            throw refusal(user, offset, length);
        }
        return provider;
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
     * Revokes it from all importers and ends the registration; the memory stays. Blocks until no remote operation
     * touches the memory any more, at most {@code timeout} (S7.9). Idempotent: a second call waits for the first one's
     * result.
     *
     * @throws UrmaException EAGAIN while unfinished work requests of this process name it
     */
    public Revocation unregister(Duration timeout) {
        if (!life.isClosed() && provider.unfinished() > 0) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    this,
                    "cannot be closed, " + provider.unfinished() + " unfinished work requests name it");
        }
        if (life.end()) {
            revoke(timeout);
        }
        return Await.uninterrupted(this, revocation);
    }

    /** Begins its end without waiting, unless it is in use. */
    void abandon() {
        if (provider.unfinished() == 0 && !life.isHeld() && life.end()) {
            revoke(context.closeBudget());
        }
    }

    /** By the one who ended its life. */
    private void revoke(Duration timeout) {
        closed = true;
        context.children().remove(this);
        Flight.Step revoking = Flight.revoking();
        long begun = context.meter().begin();
        try {
            var _ = provider.unregister(timeout).whenComplete((result, failure) -> {
                context.meter().end(PerfStage.UNREGISTER, begun);
                revoking.end(this, failure == null ? result : failure);
                if (shared != null) {
                    shared.life().release(this); // before who waits goes on and closes the memory
                }
                if (tokenId != null) {
                    tokenId.release(this);
                }
                if (failure != null) {
                    revocation.completeExceptionally(Await.causeOf(failure));
                } else {
                    revocation.complete(result);
                }
            });
        } catch (RuntimeException e) {
            revocation.completeExceptionally(e);
            throw e;
        }
    }

    /** How its revocation ended; empty while it is registered, or its importers are being waited for. */
    public Optional<Revocation> revocation() {
        return revocation.isDone() && !revocation.isCompletedExceptionally()
                ? Optional.of(revocation.join())
                : Optional.empty();
    }

    /**
     * {@link #unregister} within the context's close timeout. When it ends in quarantine, the log says so with the
     * importers' names, and {@link #revocation} does.
     */
    @Override
    public void close() {
        Revocation result = unregister(context.closeBudget());
        if (!result.isComplete()) {
            LOG.log(Level.WARNING, "{0} is quarantined: not released by {1}", this, result.importers());
        }
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    ProviderSegment provider() {
        return provider;
    }

    @Override
    public String toString() {
        return "segment " + context.uasid() + "/" + provider.tokenId() + " of " + lengthBytes + " bytes";
    }

    /** A registration that is under way: it keeps memory and token id from going until the segment does so itself. */
    private static final class Registration {
        private final @Nullable SharedMemory memory;
        private final @Nullable TokenId tokenId;

        private Registration(@Nullable SharedMemory memory, @Nullable TokenId tokenId) {
            this.memory = memory;
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

        private LocalSegment handOver(LocalSegment made) {
            Flight.segmentRegistered(made, made.access());
            if (memory != null) {
                memory.life().retain(made);
            }
            if (tokenId != null) {
                tokenId.pass(this, made);
            }
            return made;
        }

        private void release() {
            if (memory != null) {
                memory.life().release(this);
            }
            if (tokenId != null) {
                tokenId.release(this);
            }
        }

        @Override
        public String toString() {
            return "a registration in progress";
        }
    }
}
