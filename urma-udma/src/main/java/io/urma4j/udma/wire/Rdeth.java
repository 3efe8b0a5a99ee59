package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Reliable datagram extended header (WIRE §1.2).
 *
 * <pre>
 *   0  flags               u8   0x80: the flow starts anew; else 0 (docs/wire-extensions.md)
 *   1  end-to-end context  u24
 * </pre>
 */
public final class Rdeth {
    static final int BYTES = 4;

    /** The message starts its flow anew: the responder turns it away no more. */
    public static final int STARTS_ANEW = 0x80;

    private Rdeth() {}

    public static int flags(NativeMemory packet, int at) {
        return Fields.u8(packet, at);
    }

    public static int endToEndContext(NativeMemory packet, int at) {
        return Fields.u24(packet, at + 1);
    }

    public static void put(NativeMemory packet, int at, int flags, int endToEndContext) {
        Fields.u8u24(packet, at, flags, endToEndContext);
    }
}
