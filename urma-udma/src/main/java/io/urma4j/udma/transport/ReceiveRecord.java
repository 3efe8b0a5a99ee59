package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/** What the record of a received message says, from its last packet. */
final class ReceiveRecord {
    private ReceiveRecord() {}

    /** The opcode in the record of the message, a number of URMA. */
    static int opcode(Packet packet) {
        int opcode = packet.opcode();
        if (TransferOpcodes.isWrite(opcode)) {
            return WorkOpcode.WRITE_IMM;
        }
        if (Opcodes.has(opcode, Header.IETH)) {
            return WorkOpcode.SEND_INVALIDATE;
        }
        return TransferOpcodes.isReported(opcode) ? WorkOpcode.SEND_IMM : WorkOpcode.SEND;
    }

    static long immediate(Packet packet) {
        NativeMemory bytes = packet.bytes();
        int opcode = packet.opcode();
        if (Opcodes.has(opcode, Header.IMM_DT)) {
            return ImmDt.immediate(bytes, packet.at(Header.IMM_DT)) & 0xFFFF_FFFFL;
        }
        if (Opcodes.has(opcode, Header.IMM_64)) {
            return Imm64.immediate(bytes, packet.at(Header.IMM_64));
        }
        return Opcodes.has(opcode, Header.IETH)
                ? Ieth.remoteKey(packet.bytes(), packet.at(Header.IETH)) & 0xFFFF_FFFFL
                : 0;
    }
}
