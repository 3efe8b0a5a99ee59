package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/** What the packet of a request says, by its opcode and its headers. */
final class ReceivedRequest {
    private static final long U32 = 0xFFFF_FFFFL;

    private ReceivedRequest() {}

    // ---- a SEND or a WRITE

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

    // ---- the record of a message, from its last packet

    /** Its opcode, a number of URMA. */
    static int recordOpcode(Packet packet) {
        int opcode = packet.opcode();
        if (isWrite(opcode)) {
            return WorkOpcode.WRITE_IMM;
        }
        if (Opcodes.has(opcode, Header.IETH)) {
            return WorkOpcode.SEND_INVALIDATE;
        }
        return isReported(opcode) ? WorkOpcode.SEND_IMM : WorkOpcode.SEND;
    }

    static long immediate(Packet packet) {
        NativeMemory bytes = packet.bytes();
        int opcode = packet.opcode();
        if (Opcodes.has(opcode, Header.IMM_DT)) {
            return ImmDt.immediate(bytes, packet.at(Header.IMM_DT)) & U32;
        }
        if (Opcodes.has(opcode, Header.IMM_64)) {
            return Imm64.immediate(bytes, packet.at(Header.IMM_64));
        }
        return Opcodes.has(opcode, Header.IETH) ? Ieth.remoteKey(bytes, packet.at(Header.IETH)) & U32 : 0;
    }

    // ---- an atomic: one of RoCE's, or one of ours with its kind

    /** The opcode of URMA. */
    static int atomicOpcode(Packet packet) {
        if (Opcodes.operation(packet.opcode()) == Opcodes.FETCH_ADD) {
            return WorkOpcode.FADD;
        }
        return Opcodes.isOurs(packet.opcode())
                ? AtomicKind.opcode(packet.bytes(), packet.at(Header.ATOMIC_KIND))
                : WorkOpcode.CAS;
    }

    static int atomicBytes(Packet packet) {
        return Opcodes.isOurs(packet.opcode())
                ? AtomicKind.sizeBytes(packet.bytes(), packet.at(Header.ATOMIC_KIND))
                : Long.BYTES;
    }

    /** Whether opcode, size and alignment are those of an atomic. */
    static boolean isAtomicSound(Packet packet) {
        int size = atomicBytes(packet);
        long va = AtomicEth.va(packet.bytes(), packet.at(Header.ATOMIC_ETH));
        return WorkOpcode.isAtomic(atomicOpcode(packet))
                && (size == Long.BYTES || size == Integer.BYTES)
                && (va & (size - 1)) == 0;
    }
}
