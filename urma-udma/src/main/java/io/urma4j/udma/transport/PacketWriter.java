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
        this.standard = config.transport();
        this.ours = config.ourTransport();
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
     * @param flags of the BTH
     * @param ack bits of the BTH beside the PSN: {@link #requests} and {@link #answers}
     */
    @Nullable
    Packet begin(int opcode, int flags, int ack, long psn, int payloadBytes, Request request) {
        Packet packet = begin(opcode, payloadBytes);
        if (packet != null) {
            packet.begin(opcode, flags, request.remoteQueue, ack, Psn.onWire(psn));
            if (isShared) {
                int anew = request.startsAnew ? Rdeth.STARTS_ANEW : 0;
                Rdeth.put(packet.bytes(), packet.at(Header.RDETH), anew, number);
                Deth.put(packet.bytes(), packet.at(Header.DETH), 0, request.hint(), request.sourceQueue());
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
            int ack = peerIsOurs ? answers(transmission, isDelayed) : 0;
            packet.begin(opcode, 0, number, ack, Psn.onWire(psn));
            if (isShared) {
                Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, number);
            }
        }
        return packet;
    }

    /** Bits of a request's BTH; some tell urma4j peers which transmission of the packet it is. */
    int requests(boolean asksForAcknowledgement, int transmission) {
        return Bth.asks(asksForAcknowledgement) | (peerIsOurs ? Bth.transmits(transmission) : 0);
    }

    /** Bits of an answer's BTH, for urma4j peers. */
    private static int answers(int transmission, boolean isDelayed) {
        return Bth.answers(transmission) | Bth.waited(isDelayed);
    }

    private @Nullable Packet begin(int opcode, int payloadBytes) {
        return peerIsOurs && payloadBytes <= SHORT_BYTES
                ? port.beginShort(route, opcode, payloadBytes, bundleBytes)
                : port.begin(route);
    }

    /** An acknowledgement, positive or negative; false when the port has no room. */
    boolean acknowledge(long psn, int syndrome, int msn, int transmission, boolean isDelayed) {
        boolean isOfValue = syndrome == Aeth.NAK_VALUE_ACCESS;
        int told = isOfValue ? Bth.VALUE_REFUSED : transmission;
        Packet packet = beginAnswer(standard(Opcodes.ACKNOWLEDGE), psn, 0, told, isDelayed);
        if (packet == null) {
            return false;
        }
        int onWire = isOfValue ? Aeth.NAK_REMOTE_ACCESS : syndrome;
        Aeth.put(packet.bytes(), packet.at(Header.AETH), onWire, msn);
        end(0);
        return true;
    }

    /** Bits of a request's BTH that {@linkplain #acknowledge piggybacks} an acknowledgement. */
    static int answers(ResponseScheduler answers) {
        return answers(answers.acknowledgedTransmission(), answers.isDelayed());
    }

    /** Piggybacks an acknowledgement on a request that has space for it. */
    static void acknowledge(Packet packet, ResponseScheduler answers) {
        AckEth.put(packet.bytes(), packet.at(Header.ACK_ETH), Psn.onWire(answers.acknowledged()), answers.msn());
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
