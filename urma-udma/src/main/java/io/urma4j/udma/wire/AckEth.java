package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * An acknowledgement that a request brings along: a header of ours, with what a packet of its own would say by its PSN and
 * its {@link Aeth} (docs/wire-extensions.md).
 *
 * <pre>
 *   0  zero  u8
 *   1  MSN   u24
 *   4  zero  u8
 *   5  PSN   u24  the last that was taken in order
 * </pre>
 */
public final class AckEth {
    static final int BYTES = 8;

    private static final int PSN_AT = 4;

    private AckEth() {}

    public static int msn(NativeMemory packet, int at) {
        return Fields.u24(packet, at + 1);
    }

    public static int psn(NativeMemory packet, int at) {
        return Fields.u24(packet, at + PSN_AT + 1);
    }

    public static void put(NativeMemory packet, int at, int psn, int msn) {
        Fields.u32u8u24(packet, at, msn, 0, psn);
    }
}
