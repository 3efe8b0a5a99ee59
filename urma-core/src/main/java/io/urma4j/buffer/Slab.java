package io.urma4j.buffer;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory, cut into chunks of one size. The allocator's lock guards which of them are idle; a chunk that is cached in
 * {@link Magazines} is not idle here.
 */
final class Slab {
    /** The objects of neighbouring chunks share cache lines, so those that are first leased one after the other are this far apart. */
    private static final int APART = 8;

    private final SlabBudget budget;
    private final SlabMemory memory;
    private final int sizeClass;
    private final long chunkBytes;
    private final Chunk[] chunks;
    private final @Nullable Chunk[] idle; // the first idleCount; the last one is leased next
    private int idleCount;
    private long leasesSeen = -1;
    private boolean isUnfreed;

    Slab(SlabBudget budget, SlabMemory memory, SlabOrder order, int magazine, Consumer<Chunk> source) {
        this.budget = budget;
        this.memory = memory;
        this.sizeClass = order.sizeClass();
        this.chunkBytes = order.chunkBytes();
        int count = Math.toIntExact(order.lengthBytes() / chunkBytes);
        this.chunks = new Chunk[count];
        this.idle = new Chunk[count];
        for (int i = 0; i < count; i++) {
            chunks[i] = new Chunk(this, i * chunkBytes, magazine, source);
        }
        for (int i = 0; i < APART; i++) {
            for (int next = i; next < count; next += APART) {
                idle[count - 1 - idleCount++] = chunks[next];
            }
        }
    }

    SlabBudget budget() {
        return budget;
    }

    SlabMemory memory() {
        return memory;
    }

    /** Of the chunks; {@link SizeClasses#OWN_SLAB} if it has one alone. */
    int sizeClass() {
        return sizeClass;
    }

    long chunkBytes() {
        return chunkBytes;
    }

    long lengthBytes() {
        return chunks.length * chunkBytes;
    }

    int chunkCount() {
        return chunks.length;
    }

    int idleCount() {
        return idleCount;
    }

    boolean isIdle() {
        return idleCount == chunks.length;
    }

    /** Whether it is idle, and no work request that was posted by hand names it. */
    boolean isFreeable() {
        return isIdle() && !memory.isInUse();
    }

    /** Removes an idle chunk; null if there is none. */
    @Nullable
    Chunk take() {
        if (idleCount == 0) {
            return null;
        }
        Chunk taken = idle[--idleCount];
        idle[idleCount] = null;
        return taken;
    }

    void put(Chunk chunk) {
        assert idleCount < idle.length && chunk.slab() == this : chunk;
        idle[idleCount++] = chunk;
    }

    /** Whether it is idle, and was so at the previous call, with no lease in between. */
    boolean isIdleSinceLastLook() {
        long leases = 0;
        for (Chunk chunk : chunks) {
            leases += chunk.block().generation();
        }
        boolean isUntouched = isFreeable() && leases == leasesSeen;
        leasesSeen = isIdle() ? leases : -1;
        return isUntouched;
    }

    /** Whether idle chunks of it may be in magazines: neither those of the reserve, nor of a slab for a single lease. */
    boolean isCached() {
        return chunks[0].magazine() >= 0;
    }

    /** Lets the chunks be put into magazines. */
    void admitTo(Magazines magazines) {
        for (Chunk chunk : chunks) {
            magazines.admit(chunk);
        }
    }

    /** The slab is gone. */
    void dismissFrom(Magazines magazines) {
        for (Chunk chunk : chunks) {
            magazines.dismiss(chunk);
        }
    }

    /** Adds what each peer has of the chunks' leases. */
    void addPeers(Map<Object, PeerUse> uses) {
        for (Chunk chunk : chunks) {
            chunk.block().addPeers(uses);
        }
    }

    /** Ends all leases. */
    void revoke() {
        for (Chunk chunk : chunks) {
            chunk.block().revoke();
        }
    }

    /** Its freeing has failed. */
    void markUnfreed() {
        isUnfreed = true;
    }

    boolean isUnfreed() {
        return isUnfreed;
    }

    /** Ends the registrations and frees the memory. */
    void free() {
        memory.free().run();
    }

    @Override
    public String toString() {
        return "slab of " + chunks.length + " x " + chunkBytes + " bytes, " + idleCount + " of them idle";
    }
}
