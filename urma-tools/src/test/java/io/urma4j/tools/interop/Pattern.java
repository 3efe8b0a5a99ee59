package io.urma4j.tools.interop;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Bytes that show where they belong, so that a wrong order of blocks or of calls is detected. */
final class Pattern {
    /** How many bytes are checked on either side of a range. */
    static final int SURROUNDINGS = 64;

    static final byte BLANK = (byte) 0xEE;

    private Pattern() {}

    static void fill(MemorySegment memory, long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            memory.set(JAVA_BYTE, offset + i, at(i, seed));
        }
    }

    /** What is wrong with the bytes; empty when nothing is. */
    static Optional<String> compare(MemorySegment memory, long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            byte is = memory.get(JAVA_BYTE, offset + i);
            if (is != at(i, seed)) {
                return Optional.of(difference(i, length, is, at(i, seed)));
            }
        }
        return Optional.empty();
    }

    /** What is wrong with a range and with its surroundings, which must be blank. Then all of it is blank. */
    static Optional<String> look(MemorySegment memory, long offset, long length, int seed) {
        Optional<String> wrong = compare(memory, offset, length, seed)
                .or(() -> blank(memory, offset, length, -SURROUNDINGS, 0))
                .or(() -> blank(memory, offset, length, length, length + SURROUNDINGS));
        memory.asSlice(offset - SURROUNDINGS, length + 2 * SURROUNDINGS).fill(BLANK);
        return wrong;
    }

    private static Optional<String> blank(MemorySegment memory, long offset, long length, long from, long to) {
        for (long i = from; i < to; i++) {
            byte is = memory.get(JAVA_BYTE, offset + i);
            if (is != BLANK) {
                return Optional.of(difference(i, length, is, BLANK));
            }
        }
        return Optional.empty();
    }

    private static String difference(long at, long length, byte is, byte wanted) {
        return String.format("byte %d of %d is 0x%02x, not 0x%02x", at, length, is, wanted);
    }

    private static byte at(long i, int seed) {
        return (byte) (i * 31 + (i >> 8) * 17 + seed);
    }
}
