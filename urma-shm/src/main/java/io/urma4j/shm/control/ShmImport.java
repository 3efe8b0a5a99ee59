package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.spi.ProviderImport;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** An imported region of a peer. */
public final class ShmImport implements ProviderImport {
    /** The peer's bytes, from offset 0 of the segment; after the revocation access throws {@code IllegalStateException}. */
    public final MemorySegment memory;

    private final Peer home;
    private final AtomicInteger unfinished = new AtomicInteger();

    private final int tokenId;

    ShmImport(MemorySegment memory, Peer home, int tokenId) {
        this.tokenId = tokenId;
        this.memory = memory;
        this.home = home;
    }

    public Peer home() {
        return home;
    }

    public int tokenId() {
        return tokenId;
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
        throw new UnsupportedOperationException();
    }

    @Override
    public Access access() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long lengthBytes() {
        return memory.byteSize();
    }

    @Override
    public CompletableFuture<Void> close() {
        throw new UnsupportedOperationException();
    }
}
