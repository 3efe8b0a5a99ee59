package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An endless stream of bytes that a seed determines, so that both ends of a transfer know what must arrive without
 * telling each other. Byte {@code n} depends on {@code n} and the seed alone.
 */
public record Payload(long seed) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Bytes {@code from…from+length-1} of the stream. */
    public byte[] bytes(long from, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        fill(MemorySegment.ofArray(bytes), 0, from, lengthBytes);
        return bytes;
    }

    /** Puts bytes {@code from…from+length-1} of the stream at {@code offset}. */
    public void fill(MemorySegment memory, long offset, long from, long lengthBytes) {
        long done = 0;
        if ((from & 7) == 0) {
            for (; done + 8 <= lengthBytes; done += 8) {
                memory.set(WORD, offset + done, word((from + done) >>> 3));
            }
        }
        for (; done < lengthBytes; done++) {
            memory.set(JAVA_BYTE, offset + done, at(from + done));
        }
    }

    /** Where memory at {@code offset} first differs from bytes {@code from…} of the stream, or -1. */
    public long firstDifference(MemorySegment memory, long offset, long from, long lengthBytes) {
        long done = 0;
        if ((from & 7) == 0) {
            while (done + 8 <= lengthBytes && memory.get(WORD, offset + done) == word((from + done) >>> 3)) {
                done += 8;
            }
        }
        for (; done < lengthBytes; done++) {
            if (memory.get(JAVA_BYTE, offset + done) != at(from + done)) {
                return done;
            }
        }
        return -1;
    }

    private byte at(long position) {
        return (byte) (word(position >>> 3) >>> (8 * (position & 7)));
    }

    /** SplitMix64's finalizer over seed and index. */
    private long word(long index) {
        long z = seed + index * 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
