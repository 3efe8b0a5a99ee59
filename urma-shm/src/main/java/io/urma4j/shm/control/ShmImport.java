package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.libc.Mapping;
import io.urma4j.shm.bounce.BounceClient;
import io.urma4j.shm.bounce.OpenedMemory;
import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.support.ControlEngine;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An imported segment of a peer. Safe for any thread. */
public final class ShmImport implements ProviderImport {
    /**
     * The peer's bytes, from offset 0 of the segment; after the revocation access throws {@code IllegalStateException}, and always
     * for memory that its home serves.
     */
    public final MemorySegment memory;

    private final boolean isServed;
    private final long lengthBytes;
    private volatile @Nullable ServedMemory served; // set before the caller gets a served import
    private volatile @Nullable OpenedMemory opened; // set before that, by the engine; null if it is not opened here

    private final Imports imports;
    private final ImportedMapping mapping;
    private final Peer home;
    private final Terms terms;
    private final Twin again;
    private @Nullable CompletableFuture<ShmImport> twin; // mapped at the home's address; guarded by this
    private boolean closed; // guarded by this
    private final AtomicInteger unfinished = new AtomicInteger();
    private final @Nullable ShmWindow window; // of which operations are announced to the home
    private volatile boolean revoked; // set by the engine, before the fence

    /** Requests the same segment again, to be mapped at the home's address. */
    @FunctionalInterface
    interface Twin {
        CompletableFuture<ShmImport> atHomeAddress(Duration timeout);
    }

    /**
     * What the home has granted.
     *
     * @param grant number of the import at the home
     * @param named number of all imports of the segment by this context, in the keys of its windows
     * @param windowsOnly whether the home opens nothing but windows
     */
    record Terms(long grant, long named, int tokenId, Access access, boolean windowsOnly) {
        private Terms as(Access windows) {
            return new Terms(grant, named, tokenId, windows, false);
        }
    }

    /** An import of a whole segment. */
    ShmImport(Imports imports, ImportedMapping mapping, Peer home, Terms terms, Twin again) {
        this(
                imports,
                mapping,
                mapping.segment(),
                home,
                terms,
                again,
                null,
                false,
                mapping.segment().byteSize());
    }

    /** An import of device memory, which its home serves; {@link #serve} follows. */
    ShmImport(Imports imports, ImportedMapping none, Peer home, Terms terms, long lengthBytes) {
        this(
                imports,
                none,
                none.segment(),
                home,
                terms,
                _ -> CompletableFuture.failedFuture(unmappable(home)),
                null,
                true,
                lengthBytes);
    }

    private ShmImport(
            Imports imports,
            ImportedMapping mapping,
            MemorySegment memory,
            Peer home,
            Terms terms,
            Twin again,
            @Nullable ShmWindow window,
            boolean isServed,
            long lengthBytes) {
        this.memory = memory;
        this.isServed = isServed;
        this.lengthBytes = lengthBytes;
        this.window = window;
        this.imports = imports;
        this.mapping = mapping;
        this.home = home;
        this.terms = terms;
        this.again = again;
    }

    /** The part of the import that a window covers. */
    ShmImport window(WindowKey key, ShmWindow announced) {
        MemorySegment part = memory.asSlice(key.offset(), key.lengthBytes());
        ShmImport made = new ShmImport(
                imports, mapping, part, home, terms.as(key.access()), again, announced, isServed, key.lengthBytes());
        ServedMemory whole = served;
        if (whole != null) {
            made.served = whole.from(key.offset());
        }
        return made;
    }

    /** Replaces a revoked window: every access fails. */
    ShmImport deadWindow() {
        MemorySegment none = Mapping.dead();
        ShmImport dead = new ShmImport(imports, mapping, none, home, terms, again, null, false, none.byteSize());
        dead.revoked = true;
        return dead;
    }

    public Peer home() {
        return home;
    }

    /** Whether its home serves it: an operation asks the home, and blocks as long as the home's device takes. */
    public boolean isServed() {
        return isServed;
    }

    /** Whether every access fails from now on. */
    public boolean isGone() {
        ServedMemory known = served;
        return known == null
                ? revoked || !memory.scope().isAlive()
                : known.isGone().getAsBoolean();
    }

    /** The memory that its home serves. */
    public ServedMemory served() {
        ServedMemory known = served;
        if (known == null) {
            throw new IllegalStateException(this + " is not served");
        }
        return known;
    }

    /** Its home answers the requests of {@code client}. */
    void serve(BounceClient client) {
        served = new ServedMemory(client, terms.grant(), 0, this::isRevoked, opened);
    }

    /** It is being opened: a fence waits for that, and closes it. Before {@link #serve}; the engine's thread. */
    OpenedMemory opening(Access direct) {
        OpenedMemory made = new OpenedMemory(toString(), direct);
        opened = made;
        return made;
    }

    @Override
    public boolean isDeviceMemoryOpened() {
        OpenedMemory known = opened;
        return known != null && known.isUsable();
    }

    /** Fences it without waiting; true if no thread and no device of this process touches the memory any more. */
    boolean tryFence() {
        OpenedMemory known = opened;
        boolean hasEnded = known == null || known.hasEnded(); // first, since it takes its time
        return mapping.tryRevoke() && hasEnded;
    }

    private static UrmaException unmappable(Object what) {
        return new UrmaException(UrmaStatus.EINVAL, what, "serves its device memory, which cannot be mapped");
    }

    long grant() {
        return terms.grant();
    }

    /** Whether a key of that import number is for this import. */
    boolean isMeant(long importNumber) {
        return importNumber == terms.grant() || importNumber == terms.named();
    }

    /** Counts a work request that names the import. */
    public void pin() {
        unfinished.getAndIncrement();
        if (window != null) {
            window.announce();
        }
    }

    public void unpin() {
        if (window != null) {
            window.end();
        }
        unfinished.getAndDecrement();
    }

    @Override
    public int unfinished() {
        return unfinished.get();
    }

    @Override
    public boolean isRevoked() {
        return revoked;
    }

    void markRevoked() {
        revoked = true;
    }

    @Override
    public Access access() {
        return terms.access();
    }

    @Override
    public boolean isWindowsOnly() {
        return terms.windowsOnly();
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public MemorySegment map() {
        if (isServed) {
            throw unmappable(home);
        }
        return memory;
    }

    @Override
    public CompletableFuture<MemorySegment> mapAtHomeAddress(Duration timeout) {
        return twin(imports.deadline(timeout)).thenApply(made -> made.memory);
    }

    /** The second mapping; of several callers at a time, the first asks for it. */
    private CompletableFuture<ShmImport> twin(long deadlineNanos) {
        CompletableFuture<ShmImport> ofAnother;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new UrmaException(UrmaStatus.EINVAL, this, "is closed"));
            }
            if (twin == null || twin.isCompletedExceptionally()) {
                twin = again.atHomeAddress(imports.left(deadlineNanos));
                return twin;
            }
            if (twin.isDone()) {
                return twin;
            }
            ofAnother = twin;
        }
        return imports.until(deadlineNanos, ofAnother, this)
                .exceptionallyCompose(failure -> mayTryAgain(failure, deadlineNanos)
                        ? twin(deadlineNanos)
                        : CompletableFuture.failedFuture(failure));
    }

    /** The time of the other caller was over, and not that of this one. */
    private boolean mayTryAgain(Throwable failure, long deadlineNanos) {
        return ControlEngine.causeOf(failure) instanceof UrmaException e
                && e.status() == UrmaStatus.ETIMEOUT
                && imports.left(deadlineNanos).isPositive();
    }

    @Override
    public CompletableFuture<ProviderWindow> window(WindowKey key, Duration timeout) {
        return imports.windows().open(this, key, timeout);
    }

    @Override
    public boolean opensAtOnce(WindowKey key) {
        return Windows.isOpenedAtOnce(this, key);
    }

    /** With the second mapping, at the home's address. */
    @Override
    public CompletableFuture<Void> close() {
        CompletableFuture<Void> mine = imports.close(this);
        CompletableFuture<ShmImport> other;
        synchronized (this) {
            closed = true;
            other = twin;
        }
        return other == null
                ? mine
                : CompletableFuture.allOf(
                        mine,
                        other.handle((made, failure) -> made)
                                .thenCompose(
                                        made -> made == null ? CompletableFuture.completedFuture(null) : made.close()));
    }

    @Override
    public String toString() {
        return "import of segment " + terms.tokenId() + " of " + home;
    }
}
