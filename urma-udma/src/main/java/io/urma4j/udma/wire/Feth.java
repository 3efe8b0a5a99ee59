package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Flush extended header, of Linux from 6.2 on (WIRE §1.2, IBTA A19). We decode it, and send none.
 *
 * <pre>
 *   0  31…6 reserved, 5…4 selectivity (0 range, 1 whole region), 3…0 placement type
 * </pre>
 */
public final class Feth {
    static final int BYTES = 4;

    private Feth() {}

    public static int selectivity(NativeMemory packet, int at) {
        return Fields.u32(packet, at) >>> 4 & 3;
    }

    public static int placementType(NativeMemory packet, int at) {
        return Fields.u32(packet, at) & 0xF;
    }

    public static void put(NativeMemory packet, int at, int selectivity, int placementType) {
        Fields.u32(packet, at, selectivity << 4 | placementType);
    }
}
