package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Which atomic operation an {@link Opcodes#ATOMIC} is: a header of ours, behind the AtomicETH (docs/wire-extensions.md).
 *
 * <pre>
 *   0  opcode    u8   of URMA
 *   1  size      u8   4 or 8 bytes
 *   2  reserved
 * </pre>
 */
public final class AtomicKind {
    static final int BYTES = 4;

    private AtomicKind() {}

    public static int opcode(NativeMemory packet, int at) {
        return Fields.u8(packet, at);
    }

    public static int sizeBytes(NativeMemory packet, int at) {
        return Fields.u8(packet, at + 1);
    }

    public static void put(NativeMemory packet, int at, int opcode, int sizeBytes) {
        Fields.u32(packet, at, opcode << 24 | sizeBytes << 16);
    }
}
