package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Says which part of a packet a fragment carries: a header of ours (docs/wire-extensions.md).
 *
 * <pre>
 *   0  length  u16  of the packet, from its BTH to its padding, a multiple of 4
 *   2  offset  u16  of this part in it, a multiple of the part length
 *   4  part    u16  length of each part but the last, a multiple of 4
 *   6  zero    u16
 * </pre>
 */
public final class FragmentEth {
    static final int BYTES = 8;

    /** The shortest part of a packet but for the last one: the smallest path MTU. */
    static final int MIN_PART_BYTES = PathMtu.SMALLEST;

    /** The smallest limit of packets that fragments can have. */
    public static final int MIN_PACKET_BYTES = Bth.BYTES + BYTES + MIN_PART_BYTES + Icrc.BYTES;

    /** The most fragments of a packet. */
    static final int MAX_PARTS = (Packet.MAX_BYTES - Icrc.BYTES + MIN_PART_BYTES - 1) / MIN_PART_BYTES;

    private static final int OFFSET = 2;
    private static final int PART = 4;
    private static final int ZERO = 6;
    private static final int GRAIN_MASK = 3;

    private FragmentEth() {}

    public static int lengthBytes(NativeMemory packet, int at) {
        return Fields.u16(packet, at);
    }

    public static int offset(NativeMemory packet, int at) {
        return Fields.u16(packet, at + OFFSET);
    }

    public static int partBytes(NativeMemory packet, int at) {
        return Fields.u16(packet, at + PART);
    }

    /** Begins a fragment; its part of the packet is its payload. */
    public static void begin(Packet fragment, int connection, int id, int lengthBytes, int offset, int partBytes) {
        fragment.begin(Opcodes.FRAGMENT, connection, id);
        NativeMemory bytes = fragment.bytes();
        Fields.u32(bytes, Bth.BYTES, lengthBytes << Short.SIZE | offset);
        Fields.u32(bytes, Bth.BYTES + PART, partBytes << Short.SIZE);
    }

    /** The longest part, if a packet from its BTH to its ICRC has at most that length. */
    public static int partBytesWithin(int packetBytes) {
        return packetBytes - Bth.BYTES - BYTES - Icrc.BYTES & ~GRAIN_MASK;
    }

    /** Whether a fragment is one of at least two, lies in its packet, and has exactly the payload of its part. */
    static boolean isSound(Packet fragment) {
        NativeMemory bytes = fragment.bytes();
        int length = lengthBytes(bytes, Bth.BYTES);
        int offset = offset(bytes, Bth.BYTES);
        int part = partBytes(bytes, Bth.BYTES);
        return ((length | part) & GRAIN_MASK) == 0
                && Fields.u16(bytes, Bth.BYTES + ZERO) == 0
                && Bth.padCount(bytes) == 0
                && part >= MIN_PART_BYTES
                && part < length
                && length <= Packet.MAX_BYTES - Icrc.BYTES
                && offset < length
                && offset % part == 0
                && fragment.payloadBytes() == Math.min(part, length - offset);
    }
}
