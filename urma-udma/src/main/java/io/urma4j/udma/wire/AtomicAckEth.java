package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Atomic acknowledgement extended header: what was there before (WIRE §1.2).
 *
 * <pre>
 *   0  original  u64
 * </pre>
 */
public final class AtomicAckEth {
    static final int BYTES = 8;

    private AtomicAckEth() {}

    public static long original(NativeMemory packet, int at) {
        return Fields.u64(packet, at);
    }

    public static void put(NativeMemory packet, int at, long original) {
        Fields.u64(packet, at, original);
    }
}
