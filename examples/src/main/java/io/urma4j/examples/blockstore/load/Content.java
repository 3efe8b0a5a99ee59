package io.urma4j.examples.blockstore.load;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a block in the load. They follow from block, revision and seed, so a reader can verify them without a copy: the
 * 64-bit words of SplitMix64.
 */
final class Content {
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private final long seed;

    Content(long seed) {
        this.seed = seed;
    }

    /** Fills a buffer. */
    void fill(MemorySegment bytes, long block, long revision) {
        long state = start(block, revision);
        long end = bytes.byteSize() & -8L;
        for (long at = 0; at < end; at += 8) {
            state += GAMMA;
            bytes.set(JAVA_LONG_UNALIGNED, at, mix(state));
        }
        long last = mix(state + GAMMA);
        for (long at = end; at < bytes.byteSize(); at++) {
            bytes.set(JAVA_BYTE, at, (byte) (last >>> (8 * (at - end))));
        }
    }

    /** Offset of the first byte that {@link #fill} would have filled otherwise, up to a word; -1 if there is none. */
    long mismatch(MemorySegment bytes, long block, long revision) {
        long state = start(block, revision);
        long end = bytes.byteSize() & -8L;
        for (long at = 0; at < end; at += 8) {
            state += GAMMA;
            if (bytes.get(JAVA_LONG_UNALIGNED, at) != mix(state)) {
                return at;
            }
        }
        long last = mix(state + GAMMA);
        for (long at = end; at < bytes.byteSize(); at++) {
            if (bytes.get(JAVA_BYTE, at) != (byte) (last >>> (8 * (at - end)))) {
                return at;
            }
        }
        return -1;
    }

    private long start(long block, long revision) {
        return mix(mix(seed + block * GAMMA) + revision);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }
}
