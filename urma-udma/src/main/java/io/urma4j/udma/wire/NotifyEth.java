package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * What WRITE_NOTIFY stores after its bytes are placed: a header of ours (docs/wire-extensions.md).
 *
 * <pre>
 *   0  VA     u64  aligned to 8
 *   8  R_Key  u32
 *  12  value  u64
 * </pre>
 */
public final class NotifyEth {
    static final int BYTES = 20;

    private static final int R_KEY = 8;
    private static final int VALUE = 12;

    private NotifyEth() {}

    public static long va(NativeMemory packet, int at) {
        return Fields.u64(packet, at);
    }

    public static int remoteKey(NativeMemory packet, int at) {
        return Fields.u32(packet, at + R_KEY);
    }

    public static long value(NativeMemory packet, int at) {
        return Fields.u64(packet, at + VALUE);
    }

    public static void put(NativeMemory packet, int at, long va, int remoteKey, long value) {
        Fields.u64(packet, at, va);
        Fields.u32(packet, at + R_KEY, remoteKey);
        Fields.u64(packet, at + VALUE, value);
    }
}
