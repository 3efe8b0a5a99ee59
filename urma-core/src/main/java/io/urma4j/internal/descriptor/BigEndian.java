package io.urma4j.internal.descriptor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in an array, big-endian, at any offset. */
final class BigEndian {
    private static final VarHandle U16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle U32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle U64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    static int getShort(byte[] from, int at) {
        return (short) U16.get(from, at) & 0xFFFF;
    }

    static int getInt(byte[] from, int at) {
        return (int) U32.get(from, at);
    }

    static long getLong(byte[] from, int at) {
        return (long) U64.get(from, at);
    }

    static void putShort(byte[] to, int at, int value) {
        U16.set(to, at, (short) value);
    }

    static void putInt(byte[] to, int at, int value) {
        U32.set(to, at, value);
    }

    static void putLong(byte[] to, int at, long value) {
        U64.set(to, at, value);
    }
}
