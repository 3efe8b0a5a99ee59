package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import io.urma4j.udma.wire.Rdeth;
import org.jspecify.annotations.Nullable;

/** Begins and ends the packets of one connection: adds its opcodes, its numbers, and the headers of shared connections. */
final class PacketWriter {
    private static final int NOTICE_BYTES = 16;

    /** Longer payloads have their own datagram: copying them into one would cost as much. */
    private static final int SHORT_BYTES = 512;

    private final Port port;
    private final Route route;
    private final Traffic traffic;
    private final int number;
    private final int standard;
    private final int ours;
    private final boolean isShared;
    private final boolean peerIsOurs;
    private final int bundleBytes;

    PacketWriter(ConnectionConfig config, Port port, Route route, Traffic traffic) {
        this.port = port;
        this.route = route;
        this.traffic = traffic;
        this.number = config.peerNumber();
        this.isShared = config.isShared();
        this.peerIsOurs = config.peerIsOurs();
        this.bundleBytes = PathMtu.ofRoce(config.mtuBytes());
        this.standard = isShared ? Opcodes.RD : Opcodes.RC;
        this.ours = isShared ? Opcodes.OURS_RD : Opcodes.OURS_RC;
    }

    /** An operation of the IBTA, as an opcode of this connection. */
    int standard(int operation) {
        return standard | operation;
    }

    /** An operation of ours. */
    int ours(int operation) {
        return ours | operation;
    }

    /**
     * A request; null if the port has no space.
     *
     * @param transmission which one of this packet it is; some bits tell that to urma4j peers
     */
    @Nullable
    Packet begin(int opcode, long psn, int transmission, int payloadBytes, Request request) {
        Packet packet = begin(opcode, payloadBytes);
        if (packet != null) {
            packet.begin(opcode, request.remoteQueue, Psn.onWire(psn));
            if (peerIsOurs) {
                Bth.transmission(packet.bytes(), transmission);
            }
            if (isShared) {
                int flags = request.startsAnew ? Rdeth.STARTS_ANEW : 0;
                Rdeth.put(packet.bytes(), packet.at(Header.RDETH), flags, number);
                Deth.put(packet.bytes(), packet.at(Header.DETH), 0, request.hint, request.sourceQueue());
            }
        }
        return packet;
    }

    /**
     * A response; null if the port has no space. Some bits tell urma4j peers the rest.
     *
     * @param transmission the one of the request that it answers
     * @param isDelayed the request has waited in this host
     */
    @Nullable
    Packet beginAnswer(int opcode, long psn, int payloadBytes, int transmission, boolean isDelayed) {
        Packet packet = begin(opcode, payloadBytes);
        if (packet != null) {
            packet.begin(opcode, number, Psn.onWire(psn));
            if (isShared) {
                Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, number);
            }
            if (peerIsOurs) {
                putAnswered(packet, transmission, isDelayed);
            }
        }
        return packet;
    }

    private static void putAnswered(Packet packet, int transmission, boolean isDelayed) {
        Bth.answeredTransmission(packet.bytes(), transmission);
        if (isDelayed) {
            Bth.late(packet.bytes());
        }
    }

    private @Nullable Packet begin(int opcode, int payloadBytes) {
        return peerIsOurs && payloadBytes <= SHORT_BYTES
                ? port.beginShort(route, opcode, payloadBytes, bundleBytes)
                : port.begin(route);
    }

    /** An acknowledgement, positive or negative; false when the port has no room. */
    boolean acknowledge(long psn, int syndrome, int msn, int transmission, boolean isDelayed) {
        Packet packet = beginAnswer(standard(Opcodes.ACKNOWLEDGE), psn, 0, transmission, isDelayed);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, msn);
        end(0);
        return true;
    }

    /** Piggybacks an acknowledgement on a request that has space for it. */
    void acknowledge(Packet packet, ResponseScheduler answers) {
        AckEth.put(packet.bytes(), packet.at(Header.ACK_ETH), Psn.onWire(answers.acknowledged()), answers.msn());
        putAnswered(packet, answers.acknowledgedTransmission(), answers.isDelayed());
    }

    /** A CNP, whose fields are all fixed (WIRE §9); false if the port has no space. */
    boolean sendNotice() {
        Packet packet = port.begin(route);
        if (packet == null) {
            return false;
        }
        packet.begin(Opcodes.CNP, number, 0);
        Bth.notice(packet.bytes(), false, true);
        for (int i = 0; i < NOTICE_BYTES; i++) {
            packet.bytes().setByte(packet.payloadAt() + i, 0);
        }
        end(NOTICE_BYTES);
        traffic.add(Event.CNP_SENT);
        return true;
    }

    void end(int payloadBytes) {
        port.end(payloadBytes);
        traffic.add(Event.SENT);
    }
}
