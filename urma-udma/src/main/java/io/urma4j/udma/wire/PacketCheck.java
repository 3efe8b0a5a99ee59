package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;
import org.jspecify.annotations.Nullable;

/**
 * The first look at whatever came by the network. Afterwards all headers of the packet are there, its lengths are
 * consistent, and no accessor can read outside of it. Never throws, whatever the bytes are.
 */
public final class PacketCheck {
    private PacketCheck() {}

    /** A reason to drop the packet, the ICRC left aside; null when there is none. */
    public static @Nullable Drop of(Packet packet) {
        NativeMemory bytes = packet.bytes();
        int length = packet.lengthBytes();
        if (length < Bth.BYTES) {
            return Drop.TOO_SHORT;
        }
        int opcode = Bth.opcode(bytes);
        if (!Opcodes.isKnown(opcode)) {
            return Drop.UNKNOWN_OPCODE;
        }
        if (length < Opcodes.headerBytes(opcode) + Bth.padCount(bytes) + Icrc.BYTES) {
            return Drop.CUT;
        }
        if (length > maxBytes(opcode)) {
            return Drop.TOO_LONG;
        }
        if (Bth.transportVersionAt(bytes, 0) != 0) {
            return Drop.TRANSPORT_VERSION;
        }
        if (!Bth.isOfOurPartition(bytes, 0)) {
            return Drop.PARTITION;
        }
        return switch (opcode) {
            case Opcodes.BUNDLE -> Bundle.isSound(packet) ? null : Drop.BUNDLE;
            case Opcodes.FRAGMENT -> FragmentEth.isSound(packet) ? null : Drop.FRAGMENT;
            default -> null;
        };
    }

    /** The same of a packet that others carried: only a bundle, or a packet of a connection, comes in fragments. */
    public static @Nullable Drop ofConnection(Packet packet) {
        boolean isOfConnection = Bundle.is(packet) || Opcodes.isOfConnection(packet.opcode());
        return isOfConnection ? of(packet) : Drop.FRAGMENT;
    }

    /** Only a connection can have agreed on a path MTU that RoCE lacks; it checks what it has agreed on. */
    private static int maxBytes(int opcode) {
        return Opcodes.isOfConnection(opcode) || opcode == Opcodes.FRAGMENT ? Packet.MAX_BYTES : Packet.MAX_ROCE_BYTES;
    }
}
