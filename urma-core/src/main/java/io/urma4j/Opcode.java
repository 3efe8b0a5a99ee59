package io.urma4j;

/** The operation of a work request, with URMA's numbers (SEMANTICS §8). */
public enum Opcode {
    WRITE(0x00, Kind.ONE_SIDED),
    /** Places bytes, then consumes one receive work request, whose record holds the immediate. */
    WRITE_IMM(0x01, Kind.MESSAGE),
    /** Places bytes, then stores an 8-byte value; a reader that loads the value with acquire sees the bytes. */
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
    /** A message that revokes a token id of the receiver before its record (S8.11). */
    SEND_INVALIDATE(0x42, Kind.MESSAGE),
    NOP(0x51, Kind.ONE_SIDED);

    /** The class of an operation. */
    public enum Kind {
        /** Bytes move between memories; nothing is reported at the target. */
        ONE_SIDED,
        /** Like one-sided, on one naturally aligned word of 4 or 8 bytes. */
        ATOMIC,
        /** Consumes a receive work request at the target. */
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
     * @throws IllegalArgumentException if there is none
     */
    public static Opcode of(int value) {
        Opcode opcode = value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
        if (opcode == null) {
            throw new IllegalArgumentException("no opcode has the number 0x" + Integer.toHexString(value));
        }
        return opcode;
    }
}
