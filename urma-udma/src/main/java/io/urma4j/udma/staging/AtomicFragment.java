package io.urma4j.udma.staging;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.udma.ring.WorkOpcode;
import java.lang.foreign.MemorySegment;

/** An atomic on the bytes of a fragment. Used again and again. */
final class AtomicFragment {
    private static final long U32 = 0xFFFF_FFFFL;

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
        if (sizeBytes == Long.BYTES) {
            original = fragment.get(JAVA_LONG, 0);
            fragment.set(JAVA_LONG, 0, value(opcode, original, operand, expected));
        } else {
            original = Integer.toUnsignedLong(fragment.get(JAVA_INT, 0));
            fragment.set(JAVA_INT, 0, (int) value(opcode, original, operand, expected & U32));
        }
    }

    /** The value before it. */
    long original() {
        return original;
    }

    private static long value(int opcode, long old, long operand, long expected) {
        return switch (opcode) {
            case WorkOpcode.CAS -> old == expected ? operand : old;
            case WorkOpcode.SWAP -> operand;
            case WorkOpcode.FADD -> old + operand;
            case WorkOpcode.FSUB -> old - operand;
            case WorkOpcode.FAND -> old & operand;
            case WorkOpcode.FOR -> old | operand;
            case WorkOpcode.FXOR -> old ^ operand;
            default -> throw new IllegalArgumentException("opcode " + opcode + " is not an atomic");
        };
    }
}
