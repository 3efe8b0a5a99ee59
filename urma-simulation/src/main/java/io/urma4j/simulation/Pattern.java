package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Bytes that show to which operation and offset they belong: made from a number, and recognised by it. */
final class Pattern {
    /** Of memory that was never written. */
    static final int UNTOUCHED = 0;

    /** Of revoked memory, which a peer must not read any more. */
    static final int SECRET = -1;

    /** Of a range whose bytes have arrived and were checked: a later write would be a duplicate. */
    static final int CLOSED = -2;

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private Pattern() {}

    /** Fills a range as if it were the part of a larger one that begins at {@code from} there. */
    static void fill(MemorySegment memory, long offset, long lengthBytes, int number, long from) {
        long at = 0;
        for (; at + Long.BYTES <= lengthBytes; at += Long.BYTES) {
            memory.set(JAVA_LONG_UNALIGNED, offset + at, wordAt(number, from + at));
        }
        for (; at < lengthBytes; at++) {
            memory.set(JAVA_BYTE, offset + at, byteAt(number, from + at));
        }
    }

    static void fill(MemorySegment memory, long offset, long lengthBytes, int number) {
        fill(memory, offset, lengthBytes, number, 0);
    }

    /** The offset of the first wrong byte within the range; −1 when there is none. */
    static long mismatch(MemorySegment memory, long offset, long lengthBytes, int number, long from) {
        long at = 0;
        while (at + Long.BYTES <= lengthBytes
                && memory.get(JAVA_LONG_UNALIGNED, offset + at) == wordAt(number, from + at)) {
            at += Long.BYTES;
        }
        for (; at < lengthBytes; at++) {
            if (memory.get(JAVA_BYTE, offset + at) != byteAt(number, from + at)) {
                return at;
            }
        }
        return -1;
    }

    static long mismatch(MemorySegment memory, long offset, long lengthBytes, int number) {
        return mismatch(memory, offset, lengthBytes, number, 0);
    }

    static byte byteAt(int number, long at) {
        return (byte) (block(number, at >> 3) >>> ((at & 7) << 3));
    }

    /** The eight bytes from there on, the first one lowest. */
    static long wordAt(int number, long at) {
        int shift = (int) (at & 7) << 3;
        long first = block(number, at >> 3) >>> shift;
        return shift == 0 ? first : first | block(number, (at >> 3) + 1) << (Long.SIZE - shift);
    }

    private static long block(int number, long index) {
        if (number == UNTOUCHED) {
            return 0; // like fresh memory
        }
        long mixed = (number * 0x1_0000_0001L + 1 + index) * GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        return mixed ^ mixed >>> 29;
    }
}
