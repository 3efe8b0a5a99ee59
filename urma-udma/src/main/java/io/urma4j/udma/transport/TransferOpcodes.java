package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;

/** What the opcodes of SENDs and WRITEs say of their packets. */
final class TransferOpcodes {
    private TransferOpcodes() {}

    static boolean isWrite(int opcode) {
        int operation = Opcodes.operation(opcode);
        return operation >= Opcodes.WRITE_FIRST && operation <= Opcodes.WRITE_ONLY_IMM;
    }

    /** It begins a message. */
    static boolean isFirst(int opcode) {
        return switch (Opcodes.operation(opcode)) {
            case Opcodes.SEND_FIRST,
                    Opcodes.SEND_ONLY,
                    Opcodes.SEND_ONLY_IMM,
                    Opcodes.SEND_ONLY_INVALIDATE,
                    Opcodes.WRITE_FIRST,
                    Opcodes.WRITE_ONLY,
                    Opcodes.WRITE_ONLY_IMM -> true;
            default -> false;
        };
    }

    /** It ends a message. */
    static boolean isLast(int opcode) {
        return switch (Opcodes.operation(opcode)) {
            case Opcodes.SEND_FIRST, Opcodes.SEND_MIDDLE, Opcodes.WRITE_FIRST, Opcodes.WRITE_MIDDLE -> false;
            default -> true;
        };
    }

    /** Its message leaves a record with an immediate. */
    static boolean isReported(int opcode) {
        return Opcodes.has(opcode, Header.IMM_DT) || Opcodes.has(opcode, Header.IMM_64);
    }

    /** It places bytes and does nothing else: it leaves neither a record nor a word. */
    static boolean isPlainWrite(int opcode) {
        return switch (Opcodes.operation(opcode)) {
            case Opcodes.WRITE_FIRST, Opcodes.WRITE_MIDDLE, Opcodes.WRITE_LAST, Opcodes.WRITE_ONLY ->
                !Opcodes.has(opcode, Header.NOTIFY_ETH);
            default -> false;
        };
    }
}
