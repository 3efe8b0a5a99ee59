package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Immediate data (WIRE §1.2). Opaque four bytes, in network order by convention.
 *
 * <pre>
 *   0  immediate  u32
 * </pre>
 */
public final class ImmDt {
    static final int BYTES = 4;

    private ImmDt() {}

    public static int immediate(NativeMemory packet, int at) {
        return Fields.u32(packet, at);
    }

    public static void put(NativeMemory packet, int at, int immediate) {
        Fields.u32(packet, at, immediate);
    }
}
