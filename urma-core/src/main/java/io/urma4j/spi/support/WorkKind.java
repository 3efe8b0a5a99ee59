package io.urma4j.spi.support;

import java.util.Arrays;

/** What a work request means for the order of its queue (S8.6, S8.9). */
public enum WorkKind {
    /** Completes after everything before it; touches no peer. */
    NOP,
    /** Changes the home's memory and brings nothing back. */
    WRITE,
    /** Brings bytes of the home's memory back. */
    READ,
    /** Changes the home's memory, and brings back what was there. */
    ATOMIC,
    /** Consumes a receive work request at its target, which may be not ready. */
    MESSAGE;

    // URMA's numbers (SEMANTICS §8): a card reads opcodes that no type of the API has checked
    private static final int WRITE_IMM = 0x01;
    private static final int FIRST_FETCH = 0x10;
    private static final int END_OF_FETCHES = 0x27;
    private static final int FIRST_MESSAGE = 0x40;
    private static final int END_OF_MESSAGES = 0x43;
    private static final int NOTHING = 0x51;

    private static final WorkKind[] BY_OPCODE = new WorkKind[1 << Byte.SIZE];

    static {
        Arrays.fill(BY_OPCODE, WRITE);
        Arrays.fill(BY_OPCODE, FIRST_FETCH, END_OF_FETCHES, ATOMIC);
        Arrays.fill(BY_OPCODE, FIRST_MESSAGE, END_OF_MESSAGES, MESSAGE);
        BY_OPCODE[FIRST_FETCH] = READ;
        BY_OPCODE[WRITE_IMM] = MESSAGE;
        BY_OPCODE[NOTHING] = NOP;
    }

    /** The kind of the opcode with that number of URMA, 0 to 255. */
    public static WorkKind of(int opcode) {
        return BY_OPCODE[opcode];
    }
}
