package io.urma4j.buffer;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What a request was given: chunks, and a part of the budget for the slabs that it lacks. The thread that was given it makes
 * these slabs, after it has freed the victims. Changed under the allocator's lock.
 */
final class Grant {
    private final SlabBudget budget;
    private final Request request;
    private final @Nullable Chunk[] chunks; // of each length; null until its slab is made
    private final Deque<Slab> victims = new ArrayDeque<>(); // idle slabs whose part of the budget it has
    private final Deque<SlabOrder> orders = new ArrayDeque<>();
    private long excessBytes;

    Grant(SlabBudget budget, Request request) {
        this.budget = budget;
        this.request = request;
        this.chunks = new Chunk[request.count()];
    }

    SlabBudget budget() {
        return budget;
    }

    Request request() {
        return request;
    }

    Deque<Slab> victims() {
        return victims;
    }

    Deque<SlabOrder> orders() {
        return orders;
    }

    /** Bytes of the victims beyond those of the orders; 0 once all victims are freed. */
    long excessBytes() {
        return excessBytes;
    }

    void excessBytes(long bytes) {
        excessBytes = bytes;
    }

    @Nullable
    Chunk chunk(int index) {
        return chunks[index];
    }

    /** Sets or removes the chunk of a length. */
    void chunk(int index, @Nullable Chunk chunk) {
        chunks[index] = chunk;
    }

    boolean lacks(int index) {
        return chunks[index] == null;
    }

    /** Whether slabs must be made first. */
    boolean isLacking() {
        return lackingBytes() > 0;
    }

    /** Bytes of the chunks that are not there. */
    long lackingBytes() {
        long lacking = 0;
        for (int i = 0; i < chunks.length; i++) {
            if (lacks(i)) {
                lacking += request.chunkBytes(i);
            }
        }
        return lacking;
    }

    /** Leases a chunk; from then on it is the lease's. */
    RdmaBuf lease(int index, LeakDetector leaks) {
        Chunk chunk = chunks[index];
        if (chunk == null) {
            throw new IllegalStateException("the slab of " + request + " is not made");
        }
        chunks[index] = null; // first: a lease that fails gives it back itself
        return chunk.lease(request.lengthBytes(index), leaks);
    }
}
