package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/** What the packet of an atomic asks for: one of RoCE's, or one of ours with its kind. */
final class AtomicRequest {
    private AtomicRequest() {}

    /** The opcode of URMA. */
    static int opcode(Packet packet) {
        if (Opcodes.operation(packet.opcode()) == Opcodes.FETCH_ADD) {
            return WorkOpcode.FADD;
        }
        return Opcodes.isOurs(packet.opcode())
                ? AtomicKind.opcode(packet.bytes(), packet.at(Header.ATOMIC_KIND))
                : WorkOpcode.CAS;
    }

    static int sizeBytes(Packet packet) {
        return Opcodes.isOurs(packet.opcode())
                ? AtomicKind.sizeBytes(packet.bytes(), packet.at(Header.ATOMIC_KIND))
                : Long.BYTES;
    }

    /** Whether opcode, size and alignment are those of an atomic. */
    static boolean isSound(Packet packet) {
        int size = sizeBytes(packet);
        long va = AtomicEth.va(packet.bytes(), packet.at(Header.ATOMIC_ETH));
        return WorkOpcode.isAtomic(opcode(packet))
                && (size == Long.BYTES || size == Integer.BYTES)
                && (va & (size - 1)) == 0;
    }
}
