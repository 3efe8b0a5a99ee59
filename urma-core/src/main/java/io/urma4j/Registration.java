package io.urma4j;

import io.urma4j.internal.flight.Flight;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.SegmentRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A registration in progress: it keeps memory and token id in use until the segment does so itself. */
final class Registration {
    private final @Nullable SharedMemory memory;
    private final @Nullable TokenId tokenId;

    private Registration(@Nullable SharedMemory memory, @Nullable TokenId tokenId) {
        this.memory = memory;
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
