package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * A fingerprint of a run: all packets, records, counters and bytes, in order. Two runs of a seed that differ in any of these
 * almost surely have different digests.
 */
final class Digest {
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private long value;

    void add(long word) {
        long mixed = (value ^ word) * MIX;
        value = mixed ^ mixed >>> 32;
    }

    /** Adds bytes; their number must be a multiple of eight. */
    void add(MemorySegment memory, long lengthBytes) {
        for (long at = 0; at < lengthBytes; at += Long.BYTES) {
            add(memory.get(JAVA_LONG_UNALIGNED, at));
        }
    }

    long value() {
        return value;
    }
}
