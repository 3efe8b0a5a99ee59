package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Immediate data of 64 bits: a header of ours, for values that do not fit into {@link ImmDt} (docs/wire-extensions.md).
 *
 * <pre>
 *   0  immediate  u64
 * </pre>
 */
public final class Imm64 {
    static final int BYTES = 8;

    private Imm64() {}

    public static long immediate(NativeMemory packet, int at) {
        return Fields.u64(packet, at);
    }

    public static void put(NativeMemory packet, int at, long immediate) {
        Fields.u64(packet, at, immediate);
    }
}
