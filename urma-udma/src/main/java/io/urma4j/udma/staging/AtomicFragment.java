package io.urma4j.udma.staging;

import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;

/** An atomic on the bytes of a fragment. Used again and again. */
final class AtomicFragment {
    private int opcode;
    private long operand;
    private long expected;
    private long original;

    void begin(int what, long by, long comparedTo) {
        opcode = what;
        operand = by;
        expected = comparedTo;
    }

    /** Replaces the old value in the fragment by the new one, and remembers the old one. */
    void execute(MemorySegment fragment, int sizeBytes) {
        original = Placement.atomic(opcode, fragment, 0, sizeBytes, operand, expected);
    }

    /** The value before it. */
    long original() {
        return original;
    }
}
