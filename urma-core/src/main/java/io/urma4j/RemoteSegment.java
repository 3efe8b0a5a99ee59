package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderImport;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An imported segment: the target of one-sided operations. Safe for any number of threads. */
public final class RemoteSegment implements ContextObject, RemoteRange {
    /** A {@link #mask} of an open import that allows no operation by itself. */
    private static final int WINDOWS_ONLY = 16;

    private final UrmaContext context;
    private final SegmentDescriptor descriptor;
    private final ProviderImport provider;
    private final long lengthBytes;
    private final Access access;
    private final Lifetime life = new Lifetime(this);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile int mask; // of the access; 0 once closed, so that each post checks one field for both

    RemoteSegment(UrmaContext context, SegmentDescriptor descriptor, ProviderImport provider) {
        this.context = context;
        this.descriptor = descriptor;
        this.provider = provider;
        this.lengthBytes = provider.lengthBytes();
        this.access = provider.access();
        this.mask = mask(descriptor.capabilities(), provider, access);
    }

    private static int mask(SegmentDescriptor.Capabilities segment, ProviderImport provider, Access access) {
        if (segment.windowsOnly() || provider.isWindowsOnly()) {
            return WINDOWS_ONLY;
        }
        return segment.atomics() ? access.mask() : access.mask() & Access.READ_WRITE.mask();
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    /** The access that the home granted: the most that an operation, or a window of a windows-only segment, may have. */
    @Override
    public Access access() {
        return access;
    }

    public SegmentDescriptor descriptor() {
        return descriptor;
    }

    /** True once the home revoked it, or died: operations end with REM_ACCESS_ABORT_ERR. */
    public boolean isRevoked() {
        return provider.isRevoked();
    }

    /**
     * Whether READs and WRITEs need no action of the home. Of device memory they do, unless this process has opened it (S15.47);
     * then {@link SegmentDescriptor.Capabilities#oneSided} of the descriptor is false all the same, because another importer may have to ask.
     */
    public boolean isOneSided() {
        return descriptor.capabilities().oneSided() || provider.isDeviceMemoryOpened();
    }

    /**
     * Opens a window that the home granted to this import (S7.10). Blocks at most the import timeout, and only where the home
     * must be asked: with shared memory for the first window of the home, and for the first behind each 4,096.
     *
     * @throws UrmaException EINVAL if the key lies outside of the segment, or was revoked; ENOPERM if the key belongs to
     *     another import, or exceeds this import's access
     */
    public RemoteWindow importWindow(WindowKey key) {
        RemoteWindow made = Lifetime.retaining(List.of(life), "a window that is being opened", () -> {
            Checks.range(this, key.offset(), key.lengthBytes(), lengthBytes);
            if (!access.covers(key.access())) {
                throw Checks.noPermission(
                        this, "was imported as " + access + ", but the window has access " + key.access());
            }
            var opened =
                    Await.result(this, provider.window(key, context.options().importTimeout()));
            return new RemoteWindow(this, key, opened);
        });
        return context.children().add(made, ClosingRank.WINDOW);
    }

    /** Whether {@link #importWindow} does not block for that key. */
    boolean opensAtOnce(WindowKey key) {
        return provider.opensAtOnce(key);
    }

    /** {@link #map(MapPlace)} at any free address. */
    public MemorySegment map() {
        return map(MapPlace.ANYWHERE);
    }

    /**
     * Maps the home's memory into this process for plain loads and stores (S7.11): of exactly its length, read-only if the
     * {@link #access} is. Each call returns the same memory, which lives as long as this import. Once the import is revoked
     * or closed, every access throws {@code IllegalStateException}, even one in progress. (The JVM then also sets the
     * interrupt flag of a thread in the middle of a copy.)
     *
     * <p>{@code SAME_ADDRESS} sends another request to the home, and blocks at most the import timeout.
     *
     * @throws UrmaException EINVAL if the segment does not support mapping, or was revoked; ENOPERM if an import of it opens
     *     nothing but windows (S14.31); EEXIST if the home's address is in use here
     */
    public MemorySegment map(MapPlace place) {
        checkOpensWhole();
        if (!isMappable()) {
            throw Checks.invalid(this, "cannot be mapped: the device or the segment does not support it");
        }
        if (provider.isRevoked()) {
            throw Checks.invalid(this, "was revoked by its home");
        }
        return switch (place) {
            case ANYWHERE -> provider.map();
            case SAME_ADDRESS ->
                Await.result(this, provider.mapAtHomeAddress(context.options().importTimeout()));
        };
    }

    /** Refuses if closed, or if an import of it opens nothing but windows (S14.31). */
    void checkOpensWhole() {
        life.checkOpen();
        if (mask == WINDOWS_ONLY) {
            throw opensOnlyWindows();
        }
    }

    private UrmaException opensOnlyWindows() {
        return Checks.noPermission(
                this, "is windows-only: its import opens nothing by itself; use a window that its home has granted");
    }

    boolean isMappable() {
        return context.attributes().capabilities().mappable()
                && descriptor.capabilities().mappable();
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    Lifetime life() {
        return life;
    }

    ProviderImport checkedForRead(UrmaContext user, long offset, long length) {
        return checked(user, offset, length, Access.READ.mask());
    }

    ProviderImport checkedForWrite(UrmaContext user, long offset, long length) {
        return checked(user, offset, length, 4);
    }

    ProviderImport checkedForAtomic(UrmaContext user, long offset, int size) {
        Checks.atomicRange(this, offset, size);
        return checked(user, offset, size, 8);
    }

    /** For an access whose range was checked: open, and with that access. */
    void checkReadable() {
        checkMask(Access.READ.mask());
    }

    /** For an access whose range was checked: open, and with that access. */
    void checkWritable() {
        checkMask(4);
    }

    /** For an atomic whose range was checked. */
    void checkAtomic(long offset, int size) {
        Checks.atomicRange(this, offset, size);
        checkMask(8);
    }

    private void checkMask(int wantedBit) {
        if ((mask & wantedBit) == 0) {
            throw refusal(context, 0, 0, wantedBit);
        }
    }

    /** For each post: open, of that context, with that access, and the range inside (S7.8). */
    private ProviderImport checked(UrmaContext user, long offset, long length, int wantedBit) {
        if ((mask & wantedBit) == 0 || user != context || (offset | length) < 0 || offset > lengthBytes - length) {
            throw refusal(user, offset, length, wantedBit);
        }
        return provider;
    }

    private RuntimeException refusal(UrmaContext user, long offset, long length, int wantedBit) {
        if (mask == 0) {
            return Checks.closed(this);
        }
        if (user != context) {
            return Checks.invalid(this, "belongs to " + context + ", not to " + user);
        }
        if (mask == WINDOWS_ONLY) {
            return opensOnlyWindows();
        }
        if ((mask & wantedBit) == 0) {
            return Checks.noPermission(
                    this,
                    access == Access.READ_WRITE_ATOMIC
                            ? "its memory does not support atomics"
                            : "was imported as " + access + ", which does not allow "
                                    + (wantedBit == 2 ? "reads" : wantedBit == 4 ? "writes" : "atomics"));
        }
        return Checks.outOfRange(this, offset, length, lengthBytes);
    }

    /**
     * Releases the import. Idempotent: a second call waits for the result of the first.
     *
     * @throws UrmaException EAGAIN while unfinished work requests name it
     */
    @Override
    public void close() {
        Checks.nothingUnfinished(this, life, provider.unfinished());
        if (life.end()) {
            giveBack();
        }
        Await.uninterrupted(this, ended);
    }

    /** Starts to close without waiting, unless it is in use. */
    void abandon() {
        if (provider.unfinished() == 0 && life.endUnlessHeld()) {
            giveBack();
        }
    }

    private void giveBack() {
        mask = 0;
        context.children().remove(this);
        var _ = Await.begun(provider::close).whenComplete((_, failure) -> Await.passOn(null, failure, ended));
    }

    ProviderImport provider() {
        return provider;
    }

    @Override
    public String toString() {
        return "remote segment " + descriptor.uasid() + "/" + descriptor.tokenId() + " of " + lengthBytes + " bytes";
    }
}
