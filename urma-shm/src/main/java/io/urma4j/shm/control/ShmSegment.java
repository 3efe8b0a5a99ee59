package io.urma4j.shm.control;

import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.spi.ProviderSegment;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A registered region of this context. */
@SuppressWarnings("DoNotCallSuggester")
public final class ShmSegment implements ProviderSegment {
    /** The bytes; access throws {@code IllegalStateException} once whoever owns them has freed them. */
    public final MemorySegment memory;

    private final AtomicInteger unfinished = new AtomicInteger();

    ShmSegment(MemorySegment memory) {
        this.memory = memory;
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
    public int tokenId() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SegmentDescriptor descriptor() {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<String> importers() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> publish(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Revocation> unregister(Duration deadline) {
        throw new UnsupportedOperationException();
    }
}
