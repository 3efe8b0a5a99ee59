package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.spi.ProviderImport;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** An imported region of a peer. Safe for any thread. */
public final class ShmImport implements ProviderImport {
    /** The peer's bytes, from offset 0 of the segment; after the revocation access throws {@code IllegalStateException}. */
    public final MemorySegment memory;

    private final Imports imports;
    private final ImportedMapping mapping;
    private final Peer home;
    private final long grant;
    private final int tokenId;
    private final Access access;
    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean revoked; // set by the engine, before the fence

    ShmImport(Imports imports, ImportedMapping mapping, Peer home, long grant, int tokenId, Access access) {
        this.memory = mapping.segment();
        this.imports = imports;
        this.mapping = mapping;
        this.home = home;
        this.grant = grant;
        this.tokenId = tokenId;
        this.access = access;
    }

    public Peer home() {
        return home;
    }

    public int tokenId() {
        return tokenId;
    }

    long grant() {
        return grant;
    }

    ImportedMapping mapping() {
        return mapping;
    }

    /** Counts a work request that names it. */
    public void pin() {
        unfinished.getAndIncrement();
    }

    public void unpin() {
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
        return access;
    }

    @Override
    public long lengthBytes() {
        return memory.byteSize();
    }

    @Override
    public CompletableFuture<Void> close() {
        return imports.close(this);
    }

    @Override
    public String toString() {
        return "import of segment " + tokenId + " of " + home;
    }
}
