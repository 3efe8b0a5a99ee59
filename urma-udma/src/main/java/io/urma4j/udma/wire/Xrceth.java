package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Extended reliable connected header (WIRE §1.2, IBTA A14). We decode it, and speak no XRC.
 *
 * <pre>
 *   0  reserved
 *   1  number of the shared receive queue  u24
 * </pre>
 */
public final class Xrceth {
    static final int BYTES = 4;

    private Xrceth() {}

    public static int sharedReceiveQueue(NativeMemory packet, int at) {
        return Fields.u24(packet, at + 1);
    }

    public static void put(NativeMemory packet, int at, int sharedReceiveQueue) {
        Fields.u8u24(packet, at, 0, sharedReceiveQueue);
    }
}
