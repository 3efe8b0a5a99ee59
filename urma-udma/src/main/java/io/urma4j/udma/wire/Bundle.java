package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Several short packets for one peer of urma4j in the place of one, whose ICRC is for all of them
 * (docs/wire-extensions.md). Behind its BTH, for each:
 *
 * <pre>
 *   0  length u16  of the packet, from its BTH to its padding
 *   2  zero   u16
 *   4  packet      without an ICRC
 * </pre>
 *
 * <p>A network loses it, repeats it and delivers it as a whole; behind that, what is in it is as if it had come by itself.
 */
public final class Bundle {
    private static final int ENTRY_BYTES = 4;
    private static final int MAX_COPIED_IN_WORDS = 128;

    private Bundle() {}

    public static boolean is(Packet packet) {
        return packet.opcode() == Opcodes.BUNDLE;
    }

    // ---- packing

    /** What a packet adds to the payload of a bundle. */
    public static int entryBytes(int opcode, int payloadBytes) {
        return ENTRY_BYTES + Opcodes.headerBytes(opcode) + payloadBytes + (-payloadBytes & 3);
    }

    /**
     * Makes a bundle of a packet that was begun and filled in, in its place.
     *
     * @param payloadBytes of the packet
     * @return the payload of the bundle in bytes
     */
    public static int begin(Packet packet, int payloadBytes) {
        int length = packet.pad(payloadBytes);
        NativeMemory bytes = packet.bytes();
        NativeMemory.copy(bytes, 0, bytes, Bth.BYTES + ENTRY_BYTES, length);
        packet.begin(Opcodes.BUNDLE, 0, 0);
        Fields.u32(bytes, Bth.BYTES, length << Short.SIZE);
        return ENTRY_BYTES + length;
    }

    /** Where the next packet begins, in the place of the bundle, behind that payload. */
    public static int next(int had) {
        return Bth.BYTES + had + ENTRY_BYTES;
    }

    /**
     * Appends a packet that was begun and filled in, and for which there is room.
     *
     * @param had the payload of the bundle so far
     * @param packet {@linkplain Packet#within within} the bundle, at the {@link #next} position; or elsewhere, to be copied
     * @param payloadBytes of the packet
     * @return the payload of the bundle in bytes
     */
    @SuppressWarnings("ReferenceEquality") // one object for one position
    public static int add(Packet bundle, int had, Packet packet, int payloadBytes) {
        int length = packet.pad(payloadBytes);
        Fields.u32(bundle.bytes(), Bth.BYTES + had, length << Short.SIZE);
        if (packet != bundle.within(next(had))) {
            copy(packet.bytes(), 0, bundle.bytes(), next(had), length);
        }
        return had + ENTRY_BYTES + length;
    }

    // ---- unpacking

    /** Packets in it. */
    public static int count(Packet bundle) {
        int count = 0;
        for (int at = first(); at < end(bundle); at += ENTRY_BYTES + lengthAt(bundle, at)) {
            count++;
        }
        return count;
    }

    /** Where its first packet is; to be asked for with {@link #take}. */
    public static int first() {
        return Bth.BYTES;
    }

    /** Behind its last packet. */
    public static int end(Packet bundle) {
        return bundle.lengthBytes() - Icrc.BYTES;
    }

    /**
     * Takes the packet that is there out; it has the place of an ICRC then, and none in it.
     *
     * @param at before the {@linkplain #end end}, of a bundle that {@link PacketCheck} found sound
     * @param to {@linkplain Packet#within within} the bundle, behind that position; or elsewhere, to be copied to
     * @return where the next one is
     */
    @SuppressWarnings("ReferenceEquality") // one object for one position
    public static int take(Packet bundle, int at, Packet to) {
        int length = lengthAt(bundle, at);
        if (to != bundle.within(at + ENTRY_BYTES)) {
            copy(bundle.bytes(), at + ENTRY_BYTES, to.bytes(), 0, length);
        }
        to.lengthBytes(length + Icrc.BYTES);
        return at + ENTRY_BYTES + length;
    }

    /** Where the BTH of the packet lies that is there. */
    public static int packetAt(int at) {
        return at + ENTRY_BYTES;
    }

    /** Copies a packet; a short one takes less time in words than by a bulk copy. */
    private static void copy(NativeMemory from, long fromOffset, NativeMemory to, long toOffset, int lengthBytes) {
        if (lengthBytes > MAX_COPIED_IN_WORDS || lengthBytes % Integer.BYTES != 0) {
            NativeMemory.copy(from, fromOffset, to, toOffset, lengthBytes);
            return;
        }
        int done = 0;
        for (; done <= lengthBytes - Long.BYTES; done += Long.BYTES) {
            to.setLong(toOffset + done, from.getLong(fromOffset + done));
        }
        if (done < lengthBytes) {
            to.setInt(toOffset + done, from.getInt(fromOffset + done));
        }
    }

    /** What is in it, each as a packet of its own, without a right ICRC; of a packet that is no bundle itself alone. */
    public static List<Packet> apart(Packet packet) {
        if (!is(packet)) {
            return List.of(packet);
        }
        List<Packet> all = new ArrayList<>();
        for (int at = first(); at < end(packet); ) {
            Packet one = new Packet(NativeMemory.allocate(lengthAt(packet, at) + Icrc.BYTES));
            at = take(packet, at, one);
            all.add(one);
        }
        return all;
    }

    private static int lengthAt(Packet bundle, int at) {
        return Fields.u16(bundle.bytes(), at);
    }

    /** Whether each packet in it is whole, and one of a connection between urma4j peers, and nothing is left over. */
    static boolean isSound(Packet bundle) {
        int end = end(bundle);
        int at = first();
        while (at + ENTRY_BYTES + Bth.BYTES <= end && isSound(bundle, at, end)) {
            at += ENTRY_BYTES + lengthAt(bundle, at);
        }
        return at == end && end > first() && Bth.padCount(bundle.bytes()) == 0;
    }

    private static boolean isSound(Packet bundle, int at, int end) {
        int length = lengthAt(bundle, at);
        int packet = at + ENTRY_BYTES;
        if (length < Bth.BYTES || packet + length > end) {
            return false;
        }
        NativeMemory bytes = bundle.bytes();
        int opcode = Bth.opcodeAt(bytes, packet);
        return Opcodes.isOfConnection(opcode)
                && length >= Opcodes.headerBytes(opcode) + Bth.padCountAt(bytes, packet)
                && Bth.transportVersionAt(bytes, packet) == 0
                && Bth.isOfOurPartition(bytes, packet);
    }
}
