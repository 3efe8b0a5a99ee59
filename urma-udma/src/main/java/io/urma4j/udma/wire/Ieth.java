package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Invalidate extended header (WIRE §1.2).
 *
 * <pre>
 *   0  R_Key  u32  that the receiver shall revoke
 * </pre>
 */
public final class Ieth {
    static final int BYTES = 4;

    private Ieth() {}

    public static int remoteKey(NativeMemory packet, int at) {
        return Fields.u32(packet, at);
    }

    public static void put(NativeMemory packet, int at, int remoteKey) {
        Fields.u32(packet, at, remoteKey);
    }
}
