package io.urma4j;

/** What a work request asks for, with URMA's numbers (SEMANTICS §8). */
public enum Opcode {
    WRITE(0x00, Kind.ONE_SIDED),
    /** Places bytes, then consumes one receive work request, which reports the immediate. */
    WRITE_IMM(0x01, Kind.MESSAGE),
    /** Places bytes, then stores an 8-byte value; who sees the value with acquire sees the bytes. */
    WRITE_NOTIFY(0x02, Kind.ONE_SIDED),
    READ(0x10, Kind.ONE_SIDED),
    CAS(0x20, Kind.ATOMIC),
    SWAP(0x21, Kind.ATOMIC),
    FADD(0x22, Kind.ATOMIC),
    FSUB(0x23, Kind.ATOMIC),
    FAND(0x24, Kind.ATOMIC),
    FOR(0x25, Kind.ATOMIC),
    FXOR(0x26, Kind.ATOMIC),
    SEND(0x40, Kind.MESSAGE),
    SEND_IMM(0x41, Kind.MESSAGE),
    /** A message that revokes a token id of the receiver before it is reported (S8.11). */
    SEND_INVALIDATE(0x42, Kind.MESSAGE),
    NOP(0x51, Kind.ONE_SIDED);

    /** Who takes part in an operation. */
    public enum Kind {
        /** Bytes move between memories; nothing is reported at the target. */
        ONE_SIDED,
        /** As one-sided, on one naturally aligned word of 4 or 8 bytes. */
        ATOMIC,
        /** A receive work request at the target is consumed. */
        MESSAGE
    }

    private static final Opcode[] BY_VALUE = new Opcode[0x52];

    static {
        for (Opcode opcode : values()) {
            BY_VALUE[opcode.value] = opcode;
        }
    }

    private final int value;
    private final Kind kind;

    Opcode(int value, Kind kind) {
        this.value = value;
        this.kind = kind;
    }

    /** The number that URMA gives this opcode. */
    public int value() {
        return value;
    }

    public Kind kind() {
        return kind;
    }

    /**
     * The opcode with the given number.
     *
     * @throws IllegalArgumentException when no opcode has it
     */
    public static Opcode of(int value) {
        Opcode opcode = value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
        if (opcode == null) {
            throw new IllegalArgumentException("no opcode has the number 0x" + Integer.toHexString(value));
        }
        return opcode;
    }
}
