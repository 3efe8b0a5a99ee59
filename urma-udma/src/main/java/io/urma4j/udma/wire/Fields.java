package io.urma4j.udma.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Fields of the wire: big-endian and at any address (WIRE §1). */
final class Fields {
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int LOW_24 = 0xFF_FFFF;

    private Fields() {}

    static int u8(MemorySegment bytes, long at) {
        return bytes.get(U8, at) & 0xFF;
    }

    static void u8(MemorySegment bytes, long at, int value) {
        bytes.set(U8, at, (byte) value);
    }

    static int u16(MemorySegment bytes, long at) {
        return bytes.get(U16, at) & 0xFFFF;
    }

    static void u16(MemorySegment bytes, long at, int value) {
        bytes.set(U16, at, (short) value);
    }

    /** Three bytes; the one before them must exist, and is not looked at. */
    static int u24(MemorySegment bytes, long at) {
        return bytes.get(U32, at - 1) & LOW_24;
    }

    static int u32(MemorySegment bytes, long at) {
        return bytes.get(U32, at);
    }

    static void u32(MemorySegment bytes, long at, int value) {
        bytes.set(U32, at, value);
    }

    static long u64(MemorySegment bytes, long at) {
        return bytes.get(U64, at);
    }

    static void u64(MemorySegment bytes, long at, long value) {
        bytes.set(U64, at, value);
    }

    /** A byte, and the three after it, at once. */
    static void u8u24(MemorySegment bytes, long at, int high, int low) {
        bytes.set(U32, at, high << 24 | low & LOW_24);
    }
}
