package io.urma4j.buffer;

import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A part of a slab that is leased as a whole. Its {@link Block} tells when the lease and its operations are over. */
final class Chunk implements Consumer<Block> {
    private final Slab slab;
    private final long offset;
    private final int magazine;
    private final Block block;
    private final Consumer<Chunk> source;
    private int number; // in magazines; written before the first lease

    /**
     * @param magazine the class under which idle ones are cached; negative if they are not
     * @param source receives it after each lease
     */
    Chunk(Slab slab, long offset, int magazine, Consumer<Chunk> source) {
        this.slab = slab;
        this.offset = offset;
        this.magazine = magazine;
        this.source = source;
        this.block = Block.partOf(slab.memory(), this);
    }

    Slab slab() {
        return slab;
    }

    int magazine() {
        return magazine;
    }

    int number() {
        return number;
    }

    void number(int given) {
        number = given;
    }

    Block block() {
        return block;
    }

    /** Begins a lease of its first bytes; if that fails, it goes back to its source. */
    RdmaBuf lease(long lengthBytes, LeakDetector leaks) {
        try {
            return RdmaBuf.lease(block, offset, lengthBytes, leaks);
        } catch (RuntimeException | Error e) {
            if (!block.revoke()) {
                source.accept(this); // it had not begun
            }
            throw e;
        }
    }

    /** The last use of the lease is over. */
    @Override
    public void accept(Block unused) {
        source.accept(this);
    }

    /** Overwrites the bytes of the last lease. */
    void scrub() {
        try {
            MemorySegment leased = slab.memory().memory().asSlice(offset, block.leaseBytes());
            leased.fill((byte) 0);
        } catch (IllegalStateException e) { // its context was closed, and the memory is gone
            Placement.forgetFence(e);
        }
    }
}
