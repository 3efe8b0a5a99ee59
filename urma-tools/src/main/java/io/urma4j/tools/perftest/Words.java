package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Words of 1, 2, 4 and 8 bytes, in native byte order. */
final class Words {
    private static final VarHandle U8 = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle U16 = ValueLayout.JAVA_SHORT.varHandle();
    private static final VarHandle U32 = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle U64 = ValueLayout.JAVA_LONG.varHandle();

    private Words() {}

    static void set(MemorySegment bytes, long offset, int sizeBytes, long value) {
        switch (sizeBytes) {
            case 1 -> bytes.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            case 2 -> bytes.set(ValueLayout.JAVA_SHORT, offset, (short) value);
            case 4 -> bytes.set(ValueLayout.JAVA_INT, offset, (int) value);
            case 8 -> bytes.set(ValueLayout.JAVA_LONG, offset, value);
            default -> throw new CommandFailure("no word has " + sizeBytes + " bytes");
        }
    }

    /** A word of 8 bytes, with acquire. */
    static long get(MemorySegment bytes, long offset) {
        return (long) U64.getAcquire(bytes, offset);
    }

    /** With acquire: a reader that sees the value also sees what was written before it. */
    static boolean holds(MemorySegment bytes, long offset, int sizeBytes, long value) {
        return switch (sizeBytes) {
            case 1 -> (byte) U8.getAcquire(bytes, offset) == (byte) value;
            case 2 -> (short) U16.getAcquire(bytes, offset) == (short) value;
            case 4 -> (int) U32.getAcquire(bytes, offset) == (int) value;
            case 8 -> (long) U64.getAcquire(bytes, offset) == value;
            default -> throw new CommandFailure("no word has " + sizeBytes + " bytes");
        };
    }
}
