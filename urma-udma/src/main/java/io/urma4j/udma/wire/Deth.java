package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Datagram extended header (WIRE §1.2).
 *
 * <pre>
 *   0  Q_Key     u32  must be that of the receiving QP
 *   4  hint      u8   between urma4j peers: which member of a Jetty group is meant; else 0
 *   5  source QP u24
 * </pre>
 */
public final class Deth {
    static final int BYTES = 8;

    private static final int HINT = 4;
    private static final int SOURCE_QP = 5;

    private Deth() {}

    public static int queueKey(NativeMemory packet, int at) {
        return Fields.u32(packet, at);
    }

    public static int sourceQp(NativeMemory packet, int at) {
        return Fields.u24(packet, at + SOURCE_QP);
    }

    public static int hint(NativeMemory packet, int at) {
        return Fields.u8(packet, at + HINT);
    }

    public static void put(NativeMemory packet, int at, int queueKey, int sourceQp) {
        put(packet, at, queueKey, 0, sourceQp);
    }

    public static void put(NativeMemory packet, int at, int queueKey, int hint, int sourceQp) {
        Fields.u32u8u24(packet, at, queueKey, hint, sourceQp);
    }
}
