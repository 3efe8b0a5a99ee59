package io.urma4j.udma.ring;

/** Numbers of {@code io.urma4j.Opcode}, which nothing below the driver knows (SEMANTICS §8). */
public final class Op {
    public static final int WRITE = 0x00;
    public static final int WRITE_IMM = 0x01;
    public static final int WRITE_NOTIFY = 0x02;
    public static final int READ = 0x10;
    public static final int CAS = 0x20;
    public static final int SWAP = 0x21;
    public static final int FADD = 0x22;
    public static final int FSUB = 0x23;
    public static final int FAND = 0x24;
    public static final int FOR = 0x25;
    public static final int FXOR = 0x26;
    public static final int SEND = 0x40;
    public static final int SEND_IMM = 0x41;
    public static final int SEND_INVALIDATE = 0x42;
    public static final int NOP = 0x51;

    private Op() {}

    public static boolean isAtomic(int opcode) {
        return opcode >= CAS && opcode <= FXOR;
    }

    /** Whether it consumes a receive work request at its target. */
    public static boolean isMessage(int opcode) {
        return opcode == WRITE_IMM || opcode >= SEND && opcode <= SEND_INVALIDATE;
    }

    /** Whether it brings bytes back: a fenced work request waits for these. */
    public static boolean isFetch(int opcode) {
        return opcode >= READ && opcode <= FXOR;
    }
}
