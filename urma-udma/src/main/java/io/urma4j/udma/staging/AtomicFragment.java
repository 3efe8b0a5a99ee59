package io.urma4j.udma.staging;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.udma.ring.WorkOpcode;

/** Executes an atomic on the bytes of a fragment. */
final class AtomicFragment {
    private AtomicFragment() {}

    /** Replaces the old value in the fragment by the new one, and remembers the old one. */
    static void execute(StagedCopy copy) {
        boolean isLong = copy.lengthBytes == Long.BYTES;
        long old = isLong ? copy.fragment.get(JAVA_LONG, 0) : Integer.toUnsignedLong(copy.fragment.get(JAVA_INT, 0));
        long mask = isLong ? -1L : 0xFFFF_FFFFL;
        long value = value(copy.opcode, old, copy.operand & mask, copy.expected & mask);
        if (isLong) {
            copy.fragment.set(JAVA_LONG, 0, value);
        } else {
            copy.fragment.set(JAVA_INT, 0, (int) value);
        }
        copy.original = old;
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
