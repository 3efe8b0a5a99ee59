package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/**
 * The short way of expected packets: header prediction, as Van Jacobson's for TCP. Most packets are the next one of a
 * connection on which nothing is missing, held, refused or marked. Then most questions of the general way have known
 * answers: this class checks first that they hold, changing nothing, and then executes, acknowledges or completes. Any other
 * packet takes the general way.
 *
 * <p>Nothing is remembered between two packets: what a packet must have is computed from the state of both halves, so no
 * prediction can be stale. With and without it every packet, record and state is the same, which the simulation compares
 * (docs/simulation.md).
 */
final class HeaderPrediction {
    // what an opcode asks for
    private static final byte OTHER = 0; // the general way, always
    private static final byte REQUEST = 1;
    private static final byte REQUEST_ACK = 2; // with an acknowledgement piggybacked
    private static final byte ACKNOWLEDGE = 3;
    private static final byte ANSWER = 4;

    private final Connection connection;
    private final Acknowledgements acknowledgements;
    private final Responder responder;
    private final Traffic traffic;
    private final byte[] kinds; // by opcode; of each connection, so that it lies near the rest of its state
    private final boolean peerIsOurs;
    private final int aethAt; // of an acknowledgement

    HeaderPrediction(
            Connection connection,
            ConnectionConfig config,
            Acknowledgements acknowledgements,
            Responder responder,
            Traffic traffic) {
        this.connection = connection;
        this.acknowledgements = acknowledgements;
        this.responder = responder;
        this.traffic = traffic;
        this.peerIsOurs = config.peerIsOurs();
        this.kinds = kinds(config);
        this.aethAt = Opcodes.offset(config.transport() | Opcodes.ACKNOWLEDGE, Header.AETH);
    }

    private static byte[] kinds(ConnectionConfig config) {
        byte[] kinds = new byte[256];
        for (int opcode = 0; opcode < kinds.length; opcode++) {
            kinds[opcode] = config.speaks(opcode) && Opcodes.isKnown(opcode) ? kind(opcode) : OTHER;
        }
        return kinds;
    }

    private static byte kind(int opcode) {
        int operation = Opcodes.operation(opcode);
        if (operation == Opcodes.ACKNOWLEDGE) {
            return Opcodes.isOurs(opcode) ? OTHER : ACKNOWLEDGE; // a SELECTIVE_ACK reports more
        }
        if (Opcodes.isResponse(opcode)) {
            return ANSWER;
        }
        if (operation > Opcodes.FETCH_ADD && !Opcodes.has(opcode, Header.IETH)) {
            return OTHER; // a RESYNC, and what is not supported
        }
        return Opcodes.has(opcode, Header.ACK_ETH) ? REQUEST_ACK : REQUEST;
    }

    /**
     * Receives the packet if it is the expected one; otherwise changes nothing.
     *
     * @param isLate it may have waited in this host
     * @return false if the packet must take the general way
     */
    boolean receives(Packet packet, boolean isLate, long nowNanos) {
        NativeMemory bytes = packet.bytes();
        byte kind = kinds[packet.opcode()];
        if (kind == OTHER || Bth.isForwardNotice(bytes) || connection.state() != Connection.State.OPEN) {
            return false;
        }
        return switch (kind) {
            case REQUEST -> requests(packet, isLate, nowNanos);
            case REQUEST_ACK -> requestsAndAcknowledges(packet, isLate, nowNanos);
            case ACKNOWLEDGE -> acknowledges(bytes, isLate, nowNanos);
            default -> answers(packet, isLate, nowNanos);
        };
    }

    private void heard(long nowNanos) {
        connection.heard(nowNanos);
        traffic.add(Event.PREDICTED);
    }

    // ---- requests

    private boolean requests(Packet packet, boolean isLate, long nowNanos) {
        if (!responder.isExpected(Bth.psn(packet.bytes()))) {
            return false;
        }
        heard(nowNanos);
        responder.takeExpected(packet, isLate, nowNanos);
        return true;
    }

    private boolean requestsAndAcknowledges(Packet packet, boolean isLate, long nowNanos) {
        NativeMemory bytes = packet.bytes();
        int ackAt = packet.at(Header.ACK_ETH);
        int psn = AckEth.psn(bytes, ackAt);
        int msn = AckEth.msn(bytes, ackAt);
        if (!responder.isExpected(Bth.psn(bytes)) || !acknowledgements.isExpected(psn, msn, nowNanos)) {
            return false;
        }
        heard(nowNanos);
        boolean isDelayed = isLate || Bth.isLate(bytes);
        acknowledgements.takeExpected(psn, msn, Bth.answeredTransmission(bytes), isDelayed, nowNanos);
        responder.takeExpected(packet, isLate, nowNanos);
        return true;
    }

    // ---- what answers our requests

    private boolean acknowledges(NativeMemory bytes, boolean isLate, long nowNanos) {
        int psn = Bth.psn(bytes);
        int msn = Aeth.msn(bytes, aethAt);
        int syndrome = Aeth.syndrome(bytes, aethAt);
        boolean isMere = Aeth.kind(syndrome) == Aeth.Kind.ACK && !(peerIsOurs && syndrome == Aeth.ACK_PLACING);
        if (!isMere || !acknowledgements.isExpected(psn, msn, nowNanos)) {
            return false;
        }
        heard(nowNanos);
        boolean isDelayed = isLate || peerIsOurs && Bth.isLate(bytes);
        int transmission = peerIsOurs ? Bth.answeredTransmission(bytes) : Bth.NO_TRANSMISSION;
        acknowledgements.takeExpected(psn, msn, transmission, isDelayed, nowNanos);
        return true;
    }

    private boolean answers(Packet packet, boolean isLate, long nowNanos) {
        if (!acknowledgements.isExpectedAnswer(packet, nowNanos)) {
            return false;
        }
        heard(nowNanos);
        boolean isDelayed = isLate || peerIsOurs && Bth.isLate(packet.bytes());
        acknowledgements.takeExpectedAnswer(packet, isDelayed, nowNanos);
        return true;
    }
}
