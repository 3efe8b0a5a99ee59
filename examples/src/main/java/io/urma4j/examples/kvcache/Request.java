package io.urma4j.examples.kvcache;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * Which blocks are filled, in each layer, and belong to the decoder until it gives them back. As a message:
 * <pre>
 *   0  number   u32  counts up; the immediate that gives the blocks back
 *   4  count    u32  of blocks
 *   8  blocks        for each: u64 generation, u32 number, u32 zero
 * </pre>
 *
 * <p>Reused for each message; for one thread.
 */
final class Request {
    static final int MAX_BLOCKS = 64;
    static final int MAX_BYTES = 8 + 16 * MAX_BLOCKS;

    private static final int FIRST = 8;
    private static final int STRIDE = 16;

    final int[] blocks = new int[MAX_BLOCKS];
    final long[] generations = new long[MAX_BLOCKS];
    int number;
    int count;

    /** Writes the message; returns its length. */
    long store(MemorySegment message) {
        message.set(JAVA_INT_UNALIGNED, 0, number);
        message.set(JAVA_INT_UNALIGNED, 4, count);
        for (int i = 0; i < count; i++) {
            long at = FIRST + (long) i * STRIDE;
            message.set(JAVA_LONG_UNALIGNED, at, generations[i]);
            message.set(JAVA_INT_UNALIGNED, at + 8, blocks[i]);
            message.set(JAVA_INT_UNALIGNED, at + 12, 0);
        }
        return FIRST + (long) count * STRIDE;
    }

    /**
     * Reads a message.
     *
     * @return false if no producer of a cache of that shape sends it
     */
    boolean load(MemorySegment message, CacheShape shape) {
        if (message.byteSize() < FIRST) {
            return false;
        }
        int blocksOfIt = message.get(JAVA_INT_UNALIGNED, 4);
        if (blocksOfIt < 1 || blocksOfIt > MAX_BLOCKS || message.byteSize() != FIRST + (long) blocksOfIt * STRIDE) {
            return false;
        }
        number = message.get(JAVA_INT_UNALIGNED, 0);
        count = blocksOfIt;
        for (int i = 0; i < count; i++) {
            long at = FIRST + (long) i * STRIDE;
            generations[i] = message.get(JAVA_LONG_UNALIGNED, at);
            blocks[i] = message.get(JAVA_INT_UNALIGNED, at + 8);
            if (blocks[i] < 0 || blocks[i] >= shape.blocks()) {
                return false;
            }
        }
        return true;
    }
}
