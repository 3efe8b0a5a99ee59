package io.urma4j.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Bytes that follow from a seed; the first is never zero, so that cleared memory is never one. */
final class Pattern {
    private Pattern() {}

    static void fill(MemorySegment memory, long seed) {
        long size = memory.byteSize();
        long at = 0;
        for (; at <= size - Long.BYTES; at += Long.BYTES) {
            memory.set(JAVA_LONG_UNALIGNED, at, word(seed, at));
        }
        for (; at < size; at++) {
            memory.set(JAVA_BYTE, at, tail(seed, at));
        }
    }

    /** The offset of the first byte that differs from the pattern; −1 when none does. */
    static long mismatch(MemorySegment memory, long seed) {
        long size = memory.byteSize();
        long at = 0;
        for (; at <= size - Long.BYTES; at += Long.BYTES) {
            long difference = memory.get(JAVA_LONG_UNALIGNED, at) ^ word(seed, at);
            if (difference != 0) {
                return at;
            }
        }
        for (; at < size; at++) {
            if (memory.get(JAVA_BYTE, at) != tail(seed, at)) {
                return at;
            }
        }
        return -1;
    }

    /** SplitMix64's finalizer. */
    private static long word(long seed, long at) {
        long z = seed + (at + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return at == 0 ? z | 0x0100000000000001L : z; // either end of the first word is not zero
    }

    private static byte tail(long seed, long at) {
        return (byte) (word(seed, at) | (at == 0 ? 1 : 0));
    }
}
