package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * RDMA extended header: which memory a WRITE or READ is about (WIRE §1.2).
 *
 * <pre>
 *   0  VA      u64
 *   8  R_Key   u32
 *  12  length  u32  of the whole message
 * </pre>
 */
public final class Reth {
    static final int BYTES = 16;

    private static final int R_KEY = 8;
    private static final int LENGTH = 12;

    private Reth() {}

    public static long va(NativeMemory packet, int at) {
        return Fields.u64(packet, at);
    }

    public static int remoteKey(NativeMemory packet, int at) {
        return Fields.u32(packet, at + R_KEY);
    }

    public static long lengthBytes(NativeMemory packet, int at) {
        return Fields.u32(packet, at + LENGTH) & 0xFFFF_FFFFL;
    }

    public static void put(NativeMemory packet, int at, long va, int remoteKey, long lengthBytes) {
        Fields.u64(packet, at, va);
        Fields.u32(packet, at + R_KEY, remoteKey);
        Fields.u32(packet, at + LENGTH, (int) lengthBytes);
    }
}
