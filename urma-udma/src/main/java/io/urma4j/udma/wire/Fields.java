package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/** Fields of the wire: big-endian and at any address (WIRE §1). */
final class Fields {
    private static final int LOW_24 = 0xFF_FFFF;

    private Fields() {}

    static int u8(NativeMemory bytes, long at) {
        return bytes.getByte(at) & 0xFF;
    }

    static void u8(NativeMemory bytes, long at, int value) {
        bytes.setByte(at, value);
    }

    static int u16(NativeMemory bytes, long at) {
        return Short.reverseBytes(bytes.getShort(at)) & 0xFFFF;
    }

    static void u16(NativeMemory bytes, long at, int value) {
        bytes.setShort(at, Short.reverseBytes((short) value));
    }

    /** Three bytes; the one before them must exist, and is not looked at. */
    static int u24(NativeMemory bytes, long at) {
        return u32(bytes, at - 1) & LOW_24;
    }

    static int u32(NativeMemory bytes, long at) {
        return Integer.reverseBytes(bytes.getInt(at));
    }

    static void u32(NativeMemory bytes, long at, int value) {
        bytes.setInt(at, Integer.reverseBytes(value));
    }

    static long u64(NativeMemory bytes, long at) {
        return Long.reverseBytes(bytes.getLong(at));
    }

    static void u64(NativeMemory bytes, long at, long value) {
        bytes.setLong(at, Long.reverseBytes(value));
    }

    /** Four bytes, a byte, and the three after it, at once. */
    static void u32u8u24(NativeMemory bytes, long at, int first, int high, int low) {
        u64(bytes, at, (long) first << Integer.SIZE | Integer.toUnsignedLong(high << 24 | low & LOW_24));
    }

    /** A byte, and the three after it, at once. */
    static void u8u24(NativeMemory bytes, long at, int high, int low) {
        u32(bytes, at, high << 24 | low & LOW_24);
    }
}
