package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Atomic extended header (WIRE §1.2, §10). Operands are numbers, big-endian here and native in memory.
 *
 * <pre>
 *   0  VA       u64
 *   8  R_Key    u32
 *  12  operand  u64  what to swap in, or to add
 *  20  compare  u64  0 for FETCH_ADD
 * </pre>
 */
public final class AtomicEth {
    static final int BYTES = 28;

    private static final int R_KEY = 8;
    private static final int OPERAND = 12;
    private static final int COMPARE = 20;

    private AtomicEth() {}

    public static long va(NativeMemory packet, int at) {
        return Fields.u64(packet, at);
    }

    public static int remoteKey(NativeMemory packet, int at) {
        return Fields.u32(packet, at + R_KEY);
    }

    public static long operand(NativeMemory packet, int at) {
        return Fields.u64(packet, at + OPERAND);
    }

    public static long compare(NativeMemory packet, int at) {
        return Fields.u64(packet, at + COMPARE);
    }

    public static void put(NativeMemory packet, int at, long va, int remoteKey, long operand, long compare) {
        Fields.u64(packet, at, va);
        Fields.u32(packet, at + R_KEY, remoteKey);
        Fields.u64(packet, at + OPERAND, operand);
        Fields.u64(packet, at + COMPARE, compare);
    }
}
