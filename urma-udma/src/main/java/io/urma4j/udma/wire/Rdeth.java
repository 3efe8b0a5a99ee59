package io.urma4j.udma.wire;

import java.lang.foreign.MemorySegment;

/**
 * Reliable datagram extended header (WIRE §1.2).
 *
 * <pre>
 *   0  reserved
 *   1  end-to-end context  u24
 * </pre>
 */
public final class Rdeth {
    static final int BYTES = 4;

    private Rdeth() {}

    public static int endToEndContext(MemorySegment packet, int at) {
        return Fields.u24(packet, at + 1);
    }

    public static void put(MemorySegment packet, int at, int endToEndContext) {
        Fields.u8u24(packet, at, 0, endToEndContext);
    }
}
