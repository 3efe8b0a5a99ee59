package io.urma4j.udma.wire;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A place for one packet, from the BTH to the ICRC: the payload of a UDP datagram. Used again and again. For one thread
 * at a time.
 */
public final class Packet {
    /** A shorter payload is copied. */
    public static final int MIN_REFERRED_BYTES = 16 << 10;

    private static final int GRAIN = 4; // the length of RoCE packets is a multiple of it
    private static final int OVERHEAD_BYTES = Bth.BYTES + 52 + Icrc.BYTES; // all headers that one can have

    /** The longest of any path MTU. */
    public static final int MAX_BYTES = PathMtu.LARGEST + OVERHEAD_BYTES;

    /** The longest of RoCE. */
    public static final int MAX_ROCE_BYTES = PathMtu.LARGEST_OF_ROCE + OVERHEAD_BYTES;

    private final NativeMemory bytes;
    private final ByteBuffer view; // of the same bytes: the CRC takes no segment
    private final boolean gathers;
    private final @Nullable DatagramPlace datagram;
    private int lengthBytes;
    private int opcode; // as of begin(), or of the bytes when the length was set: headers are looked up by it

    private @Nullable Packet @Nullable [] within; // by position, in grains; made when one is first needed

    // a payload that was not copied
    private boolean mustCopy;
    private @Nullable PinnedMemory payload;
    private long payloadOffset;
    private int payloadLength;

    /** In a place such as a slot that a system call fills. */
    public Packet(NativeMemory place) {
        this(place, false);
    }

    /** @param gathers whether its sender gathers a packet whose payload lies elsewhere ({@link #refer}) */
    public Packet(NativeMemory place, boolean gathers) {
        this(place, gathers, null);
    }

    /** @param datagram begins with this place, and may be {@linkplain #exchange exchanged} for another one */
    public Packet(NativeMemory place, DatagramPlace datagram) {
        this(place, false, datagram);
    }

    private Packet(NativeMemory place, boolean gathers, @Nullable DatagramPlace datagram) {
        this.bytes = place;
        this.view = place.segment().asByteBuffer();
        this.gathers = gathers;
        this.datagram = datagram;
    }

    /** A packet of these bytes, in memory of its own. */
    public static Packet of(byte[] bytes) {
        Packet packet = new Packet(NativeMemory.allocate(bytes.length));
        packet.view.put(0, bytes);
        packet.lengthBytes(bytes.length);
        return packet;
    }

    /** In memory of its own, for a packet of RoCE. */
    public static Packet allocate() {
        return allocate(PathMtu.LARGEST_OF_ROCE);
    }

    /** In memory of its own, for a packet of that path MTU. */
    public static Packet allocate(int mtuBytes) {
        return new Packet(NativeMemory.allocate(maxBytes(mtuBytes)));
    }

    /** The longest of that path MTU. */
    public static int maxBytes(int mtuBytes) {
        return mtuBytes + OVERHEAD_BYTES;
    }

    /** All of the place, of which the packet takes the first {@link #lengthBytes}. */
    public NativeMemory bytes() {
        return bytes;
    }

    ByteBuffer view() {
        return view;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** Sets the length after the bytes were written to {@link #bytes}; reads the opcode. */
    public void lengthBytes(int length) {
        if (length < 0 || length > bytes.lengthBytes()) {
            throw new IllegalArgumentException(
                    "length " + length + " is not within the place of " + bytes.lengthBytes());
        }
        lengthBytes = length;
        opcode = length < Bth.BYTES ? 0 : Bth.opcode(bytes);
    }

    public int opcode() {
        return opcode;
    }

    /** Where a header of this packet begins; its opcode has it. */
    public int at(Header header) {
        return Opcodes.offset(opcode, header);
    }

    /** The connection that it names; a bundle, by its first packet. A datagram names a queue. */
    public int connectionNumber() {
        int from = Bundle.is(this) ? Bundle.packetAt(Bundle.first()) : 0;
        int named = Bth.opcodeAt(bytes, from);
        return Opcodes.has(named, Header.RDETH)
                ? Rdeth.endToEndContext(bytes, from + Opcodes.offset(named, Header.RDETH))
                : Bth.destinationQpAt(bytes, from);
    }

    public int payloadAt() {
        return Opcodes.headerBytes(opcode);
    }

    /** Without the padding. */
    public int payloadBytes() {
        return lengthBytes - Icrc.BYTES - Bth.padCount(bytes) - payloadAt();
    }

    // ---- a received packet that is kept

    /** Where it was received; null if it cannot be exchanged for another place. */
    public @Nullable DatagramPlace datagram() {
        return datagram;
    }

    /** A packet whose memory can be {@linkplain #exchange exchanged} for that of this one; null if this one must be copied. */
    public @Nullable Packet makeSpare() {
        return datagram == null ? null : datagram.makeSpare();
    }

    /**
     * Gives the memory of {@code spare} for that of this packet, which stays as it is until the caller gives it away.
     *
     * @return false if nothing has changed, and this packet must be copied
     */
    public boolean exchange(Packet spare) {
        return datagram != null && datagram.exchange(this, spare);
    }

    // ---- packets in the place of this one

    /** The packet at that position of this one's place, if it {@linkplain #makeWithin was made}; else null. */
    public @Nullable Packet within(int at) {
        @Nullable Packet[] all = within;
        if (all == null || at % GRAIN != 0 || at / GRAIN >= all.length) {
            return null;
        }
        return all[at / GRAIN];
    }

    /**
     * Makes a packet in the place of this one, from that position on, so that neither copies the other. It is kept: its
     * maker limits their number.
     *
     * @return null if there can be none
     */
    public @Nullable Packet makeWithin(int at) {
        @Nullable Packet[] all = within;
        if (all == null) {
            all = new Packet[MAX_ROCE_BYTES / GRAIN];
            within = all;
        }
        if (at % GRAIN != 0 || at / GRAIN >= all.length || at > bytes.lengthBytes() - Bth.BYTES) {
            return null;
        }
        Packet made = new Packet(bytes.from(at));
        all[at / GRAIN] = made;
        return made;
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
    public void begin(int operation, int destinationQp, int psn) {
        begin(operation, 0, destinationQp, 0, psn);
    }

    /** The same with flags: see {@link Bth#put}. */
    public void begin(int operation, int flags, int destinationQp, int ack, int psn) {
        payload = null;
        mustCopy = false;
        opcode = operation;
        Bth.put(bytes, operation, flags, destinationQp, ack, psn);
    }

    // ---- a payload that is not copied

    /** The payload may change before the packet has arrived: {@link #mayRefer} is false. */
    public void mustCopy() {
        mustCopy = true;
    }

    /** Whether a payload of that length may stay where it is. Copying a shorter one costs less than gathering it. */
    public boolean mayRefer(int payloadBytes) {
        return gathers && !mustCopy && payloadBytes >= MIN_REFERRED_BYTES;
    }

    /**
     * Takes the payload from where it lies, in place of a copy: the sender gathers it. It must not change until the packet
     * has arrived, or its ICRC is wrong. What was put at {@link #payloadAt} does not count then.
     */
    public void refer(PinnedMemory memory, long offset, int lengthBytes) {
        payload = memory;
        payloadOffset = offset;
        payloadLength = lengthBytes;
    }

    /** Whether the payload lies elsewhere. */
    public boolean refers() {
        return payload != null;
    }

    /** The memory that has the payload; it begins at {@link #payloadOffset}. Only of a packet that {@link #refers}. */
    public MemorySegment payload() {
        return requireNonNull(payload).bytes();
    }

    /** Where the payload begins in {@link #payload}. */
    public long payloadOffset() {
        return payloadOffset;
    }

    /** Copies the payload into the packet, so that its memory may change. Where it is closed, zeros take its place. */
    public void copyPayload() {
        PinnedMemory memory = payload;
        if (memory == null) {
            return;
        }
        payload = null;
        if (memory.bytes().scope().isAlive()) {
            MemorySegment.copy(memory.bytes(), payloadOffset, bytes.segment(), payloadAt(), payloadLength);
        } else {
            bytes.segment().asSlice(payloadAt(), payloadLength).fill((byte) 0);
        }
    }

    /** The payload for the CRC, where it lies elsewhere. */
    @Nullable
    ByteBuffer referredPayload() {
        PinnedMemory memory = payload;
        return memory == null ? null : memory.view(payloadOffset, payloadLength);
    }

    /** Pads a payload of that length at {@link #payloadAt}, and adds the ICRC. */
    public void end(int payloadBytes, IpHeaders ip, Icrc icrc) {
        lengthBytes = pad(payloadBytes) + Icrc.BYTES;
        icrc.seal(this, ip);
    }

    /** Pads the payload; returns the length of all before the ICRC. */
    public int pad(int payloadBytes) {
        int pad = -payloadBytes & 3;
        int end = payloadAt() + payloadBytes;
        if (pad > 0) {
            for (int i = 0; i < pad; i++) {
                Fields.u8(bytes, end + i, 0);
            }
            Bth.padCount(bytes, pad);
        }
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
