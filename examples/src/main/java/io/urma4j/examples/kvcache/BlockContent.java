package io.urma4j.examples.kvcache;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a block in the place of keys and values: each word follows from layer, block, generation and its own place, so that a
 * block of another layer, an earlier generation or a torn one is found.
 */
final class BlockContent {
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private BlockContent() {}

    static void fill(MemorySegment bytes, int layer, int block, long generation) {
        long state = start(layer, block, generation);
        for (long at = 0; at < bytes.byteSize(); at += Long.BYTES) {
            state += GAMMA;
            bytes.set(JAVA_LONG_UNALIGNED, at, mix(state));
        }
    }

    /** Offset of the first word that {@link #fill} would have filled otherwise; -1 if there is none. */
    static long mismatch(MemorySegment bytes, int layer, int block, long generation) {
        long state = start(layer, block, generation);
        for (long at = 0; at < bytes.byteSize(); at += Long.BYTES) {
            state += GAMMA;
            if (bytes.get(JAVA_LONG_UNALIGNED, at) != mix(state)) {
                return at;
            }
        }
        return -1;
    }

    private static long start(int layer, int block, long generation) {
        return mix(mix(((long) layer << 32 | block) * GAMMA) + generation);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }
}
