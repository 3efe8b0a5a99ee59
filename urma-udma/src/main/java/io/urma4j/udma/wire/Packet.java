package io.urma4j.udma.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A place for one packet, from the BTH to the ICRC: the payload of a UDP datagram. Used again and again. For one thread
 * at a time.
 */
public final class Packet {
    private static final int OVERHEAD_BYTES = Bth.BYTES + 52 + Icrc.BYTES; // all headers that one can have

    /** The longest of any path MTU. */
    public static final int MAX_BYTES = PathMtu.LARGEST + OVERHEAD_BYTES;

    /** The longest of RoCE. */
    public static final int MAX_ROCE_BYTES = PathMtu.LARGEST_OF_ROCE + OVERHEAD_BYTES;

    private final MemorySegment bytes;
    private final ByteBuffer view; // of the same bytes: the CRC takes no segment
    private int lengthBytes;

    /** In native memory, such as a slot that a system call fills; or on the heap. */
    public Packet(MemorySegment place) {
        this.bytes = place;
        this.view = place.asByteBuffer();
    }

    /** In an array of its own, for a packet of RoCE. */
    public static Packet allocate() {
        return allocate(PathMtu.LARGEST_OF_ROCE);
    }

    /** In an array of its own, for a packet of that path MTU. */
    public static Packet allocate(int mtuBytes) {
        return new Packet(MemorySegment.ofArray(new byte[maxBytes(mtuBytes)]));
    }

    /** The longest of that path MTU. */
    public static int maxBytes(int mtuBytes) {
        return mtuBytes + OVERHEAD_BYTES;
    }

    /** All of the place, of which the packet takes the first {@link #lengthBytes}. */
    public MemorySegment bytes() {
        return bytes;
    }

    ByteBuffer view() {
        return view;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** Sets the length after the bytes were written to {@link #bytes}. */
    public void lengthBytes(int length) {
        if (length < 0 || length > bytes.byteSize()) {
            throw new IllegalArgumentException("length " + length + " is not within the place of " + bytes.byteSize());
        }
        lengthBytes = length;
    }

    public int opcode() {
        return Bth.opcode(bytes);
    }

    /** Where a header of this packet begins; its opcode has it. */
    public int at(Header header) {
        return Opcodes.offset(opcode(), header);
    }

    public int payloadAt() {
        return Opcodes.headerBytes(opcode());
    }

    /** Without the padding. */
    public int payloadBytes() {
        return lengthBytes - Icrc.BYTES - Bth.padCount(bytes) - payloadAt();
    }

    /** Appends it to a buffer. */
    public void copyTo(ByteBuffer to) {
        to.put(to.position(), view, 0, lengthBytes);
        to.position(to.position() + lengthBytes);
    }

    /**
     * Begins a packet: opcode, destination and PSN, no flag. Its extended headers and its payload are put next, and then
     * it is {@linkplain #end ended}.
     */
    public void begin(int opcode, int destinationQp, int psn) {
        Bth.put(bytes, opcode, destinationQp, psn);
    }

    /** Pads a payload of that length at {@link #payloadAt}, and adds the ICRC. */
    public void end(int payloadBytes, IpHeaders ip, Icrc icrc) {
        lengthBytes = pad(payloadBytes) + Icrc.BYTES;
        icrc.seal(this, ip);
    }

    /** Pads the payload; returns the length of all before the ICRC. */
    int pad(int payloadBytes) {
        int pad = -payloadBytes & 3;
        int end = payloadAt() + payloadBytes;
        for (int i = 0; i < pad; i++) {
            Fields.u8(bytes, end + i, 0);
        }
        Bth.padCount(bytes, pad);
        return end + pad;
    }

    @Override
    public String toString() {
        if (lengthBytes < Bth.BYTES) {
            return "packet of " + lengthBytes + " bytes";
        }
        return String.format(
                "%s to QP 0x%06x, PSN 0x%06x, %d bytes",
                Opcodes.name(opcode()), Bth.destinationQp(bytes), Bth.psn(bytes), lengthBytes);
    }
}
