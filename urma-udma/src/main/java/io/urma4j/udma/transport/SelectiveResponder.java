package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/**
 * The responder of an urma4j peer, which retransmits what was lost and nothing else: keeps early packets and reports them, and
 * reports packets that arrived twice, since these were not lost.
 */
final class SelectiveResponder implements ResponderRecovery {
    /** Packets that arrived twice are reported no further back than this. */
    private static final int TWICE_PACKETS = OutOfOrder.SLOTS;

    /** Of a SELECTIVE_ACK: what is kept, and what has arrived twice. */
    private static final int MOST_TOLD_BYTES = 2 * OutOfOrder.TOLD_BYTES;

    private final OutOfOrder kept;
    private final Traffic traffic;
    private final PsnSet twice = new PsnSet();

    /** One that is not kept arrived twice since the last report. */
    private boolean isArrivedTwiceDue;

    /** @param kept the early packets of the responder */
    SelectiveResponder(OutOfOrder kept, Traffic traffic) {
        this.kept = kept;
        this.traffic = traffic;
    }

    // ---- early packets

    @Override
    public boolean arrivedEarly(Packet packet, long psn, long expected, boolean isGapTold) {
        Packet before = kept.get(psn);
        if (before != null && !isSame(before, packet)) {
            traffic.add(Event.CONTRADICTED);
            kept.drop(psn);
            return true;
        }
        if (before != null) {
            traffic.add(Event.DUPLICATE);
            twice.add(psn);
            return true;
        }
        return kept.keep(packet, psn, expected) || Bth.asksForAcknowledgement(packet.bytes());
    }

    /**
     * Whether two packets of one PSN ask for the same. If not, one of them is forged, or the application has changed its buffer
     * meanwhile. Nothing tells which of them is right, so both are dropped, and the peer retransmits its own.
     */
    private static boolean isSame(Packet one, Packet other) {
        int end = one.payloadAt() + one.payloadBytes();
        return one.opcode() == other.opcode()
                && end == other.payloadAt() + other.payloadBytes()
                && Bth.destinationQp(one.bytes()) == Bth.destinationQp(other.bytes())
                && one.bytes().isSame(Bth.BYTES, other.bytes(), Bth.BYTES, end - Bth.BYTES);
    }

    // ---- packets that arrive twice

    @Override
    public void executed(long psn, long expected) {
        twice.clear(psn + TWICE_PACKETS, expected + TWICE_PACKETS); // of long ago, with the same place
    }

    @Override
    public void arrivedTwice(long psn, long acknowledged) {
        if (acknowledged - psn < TWICE_PACKETS) {
            twice.add(psn);
            isArrivedTwiceDue |= psn <= acknowledged;
        }
    }

    @Override
    public boolean isArrivedTwiceDue() {
        return isArrivedTwiceDue;
    }

    /** That part alone, beside other parts that are wanted. */
    @Override
    public void wantAgain(ResponderResources resources, ResponderResource read, long psn, long end, long endByte) {
        resources.wantToo(read, psn, end);
    }

    // ---- reports to the peer

    @Override
    public boolean reportGap(PacketWriter writer, long expected, int msn, boolean isDelayed) {
        int opcode = writer.ours(Opcodes.SELECTIVE_ACK);
        Packet packet = writer.beginAnswer(opcode, expected, MOST_TOLD_BYTES, Bth.NO_TRANSMISSION, isDelayed);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.NAK_SEQUENCE, msn);
        int bytes = kept.tell(packet.bytes(), packet.payloadAt(), expected);
        int twiceBytes = putTwice(expected + 1, 1, packet, OutOfOrder.TOLD_BYTES);
        if (twiceBytes > 0) {
            packet.bytes().clear(packet.payloadAt() + bytes, OutOfOrder.TOLD_BYTES - bytes);
            bytes = OutOfOrder.TOLD_BYTES + twiceBytes;
        }
        writer.end(bytes);
        return true;
    }

    @Override
    public boolean reportPlacing(PacketWriter writer, long acknowledged, long expected, int msn) {
        int opcode = writer.ours(Opcodes.SELECTIVE_ACK);
        Packet packet = writer.beginAnswer(opcode, acknowledged, OutOfOrder.TOLD_BYTES, Bth.NO_TRANSMISSION, true);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK_PLACING, msn);
        writer.end(putArrived(acknowledged + 1, expected, packet));
        return true;
    }

    /** Writes which packets have arrived, a bit each from that PSN on; returns its length in bytes. */
    private int putArrived(long from, long expected, Packet packet) {
        int bytes = 0;
        int bits = 0;
        for (int i = 0; i < OutOfOrder.SLOTS; i++) {
            bits |= from + i < expected || kept.get(from + i) != null ? 1 << i % Byte.SIZE : 0;
            if (i % Byte.SIZE == Byte.SIZE - 1) {
                packet.bytes().setByte(packet.payloadAt() + i / Byte.SIZE, bits);
                bytes = bits == 0 ? bytes : i / Byte.SIZE + 1;
                bits = 0;
            }
        }
        return bytes;
    }

    @Override
    public boolean reportArrivedTwice(
            PacketWriter writer, long acknowledged, int transmission, int msn, boolean isDelayed) {
        int opcode = writer.ours(Opcodes.SELECTIVE_ACK);
        Packet packet = writer.beginAnswer(opcode, acknowledged, MOST_TOLD_BYTES, transmission, isDelayed);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        writer.end(putTwice(acknowledged, -1, packet, 0));
        isArrivedTwiceDue = false;
        return true;
    }

    /**
     * Writes which packets arrived twice, a bit each from that PSN on, forwards or backwards.
     *
     * @return its length in bytes
     */
    private int putTwice(long psn, int step, Packet packet, int atByte) {
        int told = 0;
        int bits = 0;
        for (int i = 0; i < TWICE_PACKETS && twice.count() > 0; i++) {
            bits |= twice.has(psn + (long) step * i) ? 1 << i % Byte.SIZE : 0;
            if (i % Byte.SIZE == Byte.SIZE - 1) {
                packet.bytes().setByte(packet.payloadAt() + atByte + i / Byte.SIZE, bits);
                told = bits == 0 ? told : i / Byte.SIZE + 1;
                bits = 0;
            }
        }
        return told;
    }
}
