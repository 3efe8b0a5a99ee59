package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.spi.ProviderImport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A segment of a peer that this context may operate on: a key of the peer's card. Safe for any thread. */
final class UdmaImport implements ProviderImport {
    private final @Nullable Imports imports;
    private final @Nullable Path path;
    private final int key;
    private final long vaBase;
    private final long lengthBytes;
    private final Access access;
    private final int tokenId;
    private final String what;
    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean revoked;

    private UdmaImport(
            @Nullable Imports imports,
            @Nullable Path path,
            int key,
            long vaBase,
            long lengthBytes,
            Access access,
            int tokenId,
            String what) {
        this.imports = imports;
        this.path = path;
        this.key = key;
        this.vaBase = vaBase;
        this.lengthBytes = lengthBytes;
        this.access = access;
        this.tokenId = tokenId;
        this.what = what;
    }

    /** One that the peer has granted. */
    static UdmaImport granted(
            Imports imports, Path path, int key, long vaBase, long lengthBytes, Access access, int tokenId) {
        String what = "import of segment " + tokenId + " of " + path.peer();
        return new UdmaImport(imports, path, key, vaBase, lengthBytes, access, tokenId, what);
    }

    /** One that was told by hand: for RC Jetties that are connected by hand. */
    static UdmaImport byHand(int key, long vaBase, long lengthBytes, Access access, String what) {
        return new UdmaImport(null, null, key, vaBase, lengthBytes, access, 0, what);
    }

    // ---- for the queues

    /** What packets carry. */
    int key() {
        return key;
    }

    /** The address of its first byte at the peer. */
    long vaBase() {
        return vaBase;
    }

    /** The card's handle of the peer's memory; 0 for one that RC Jetties alone can reach. */
    int memoryTarget() {
        return path == null ? 0 : path.memoryTarget();
    }

    /** The peer; null when it was told by hand. */
    @Nullable
    Path path() {
        return path;
    }

    /** The token id of the segment at its home. */
    int tokenId() {
        return tokenId;
    }

    /** Counts a work request that names it. */
    void pin() {
        unfinished.getAndIncrement();
    }

    void unpin() {
        unfinished.getAndDecrement();
    }

    // ---- ProviderImport

    /** On the engine's thread. */
    void markRevoked() {
        revoked = true;
    }

    long grant() {
        return Integer.toUnsignedLong(key);
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public boolean isRevoked() {
        return revoked;
    }

    @Override
    public int unfinished() {
        if (unfinished.get() > 0 && imports != null) {
            imports.context().queues().settle();
        }
        return unfinished.get();
    }

    @Override
    public CompletableFuture<Void> close() {
        if (imports != null) {
            imports.close(this);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return what;
    }
}
