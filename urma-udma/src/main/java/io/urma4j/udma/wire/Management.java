package io.urma4j.udma.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** UD packets to QP 1, which every port takes: InfiniBand's management, and our control datagrams (WIRE §7). */
public final class Management {
    /** The queue pair that they come from and go to. */
    public static final int QUEUE = 1;

    private static final int QUEUE_KEY = 0x8001_0000;
    private static final int OPCODE = Opcodes.UD | Opcodes.SEND_ONLY;

    private Management() {}

    /** Fills in a packet that carries {@code datagram}; it is ended next, with as many bytes of payload. */
    public static void put(Packet packet, int psn, ByteBuffer datagram) {
        packet.begin(OPCODE, QUEUE, psn & Bth.MAX_24);
        Deth.put(packet.bytes(), packet.at(Header.DETH), QUEUE_KEY, QUEUE);
        MemorySegment.copy(
                MemorySegment.ofBuffer(datagram),
                0,
                packet.bytes().segment(),
                packet.payloadAt(),
                datagram.remaining());
    }

    /** Whether a packet is such a one. */
    public static boolean isOne(Packet packet) {
        return packet.opcode() == OPCODE
                && Bth.destinationQp(packet.bytes()) == QUEUE
                && Deth.queueKey(packet.bytes(), packet.at(Header.DETH)) == QUEUE_KEY;
    }

    /** A copy of what it carries. */
    public static ByteBuffer datagram(Packet packet) {
        byte[] payload = new byte[packet.payloadBytes()];
        MemorySegment.copy(
                packet.bytes().segment(), packet.payloadAt(), MemorySegment.ofArray(payload), 0, payload.length);
        return ByteBuffer.wrap(payload);
    }
}
