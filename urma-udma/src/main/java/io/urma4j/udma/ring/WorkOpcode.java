package io.urma4j.udma.ring;

/** What a work request asks for: the numbers of URMA's opcodes (SEMANTICS §8), where no type of the API is known. */
public final class WorkOpcode {
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

    // bits of the flags
    public static final int SIGNALLED = 1;
    public static final int SOLICITED = 2;
    /** Starts after all earlier READs and atomics of the queue to that target have completed (S8.6). */
    public static final int FENCE = 4;

    private WorkOpcode() {}

    public static boolean isAtomic(int opcode) {
        return opcode >= CAS && opcode <= FXOR;
    }

    /** A receive work request at the target is consumed. */
    public static boolean isMessage(int opcode) {
        return opcode >= SEND && opcode <= SEND_INVALIDATE || opcode == WRITE_IMM;
    }

    /** It brings bytes back: a fenced work request waits for these. */
    public static boolean isFetch(int opcode) {
        return opcode >= READ && opcode <= FXOR;
    }
}
