package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

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
    /** What an opcode asks for, on connections of one kind. */
    private enum Kind {
        /** The general way, always. */
        OTHER,
        /** A SEND or WRITE of one packet without any further header. */
        WHOLE_SEND,
        WHOLE_WRITE,
        /** The same with an acknowledgement piggybacked. */
        WHOLE_SEND_ACK,
        WHOLE_WRITE_ACK,
        /** Any other packet of a SEND or WRITE, a READ or an atomic. */
        REQUEST,
        ACKNOWLEDGE,
        ANSWER
    }

    private static final Kind[] SHARED = kinds(Opcodes.RD, Opcodes.OURS_RD, true);
    private static final Kind[] CONNECTED = kinds(Opcodes.RC, Opcodes.OURS_RC, true);
    private static final Kind[] FOREIGN = kinds(Opcodes.RC, Opcodes.OURS_RC, false);

    private final Connection connection;
    private final Acknowledgements acknowledgements;
    private final Responder responder;
    private final Traffic traffic;
    private final Kind[] kinds;
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
        this.kinds = config.isShared() ? SHARED : peerIsOurs ? CONNECTED : FOREIGN;
        int standard = config.isShared() ? Opcodes.RD : Opcodes.RC;
        this.aethAt = Opcodes.offset(standard | Opcodes.ACKNOWLEDGE, Header.AETH);
    }

    private static Kind[] kinds(int standard, int ours, boolean isPeerOurs) {
        Kind[] kinds = new Kind[256];
        for (int opcode = 0; opcode < kinds.length; opcode++) {
            int transport = Opcodes.transport(opcode);
            boolean isSpoken = transport == standard || transport == ours && isPeerOurs;
            kinds[opcode] = isSpoken && Opcodes.isKnown(opcode) ? kind(opcode) : Kind.OTHER;
        }
        return kinds;
    }

    private static Kind kind(int opcode) {
        boolean acknowledges = Opcodes.has(opcode, Header.ACK_ETH);
        return switch (Opcodes.operation(opcode)) {
            case Opcodes.SEND_ONLY -> acknowledges ? Kind.WHOLE_SEND_ACK : Kind.WHOLE_SEND;
            case Opcodes.WRITE_ONLY -> writeOnly(opcode, acknowledges);
            case Opcodes.SEND_FIRST,
                    Opcodes.SEND_MIDDLE,
                    Opcodes.SEND_LAST,
                    Opcodes.SEND_LAST_IMM,
                    Opcodes.SEND_ONLY_IMM,
                    Opcodes.SEND_LAST_INVALIDATE,
                    Opcodes.SEND_ONLY_INVALIDATE,
                    Opcodes.WRITE_FIRST,
                    Opcodes.WRITE_MIDDLE,
                    Opcodes.WRITE_LAST,
                    Opcodes.WRITE_LAST_IMM,
                    Opcodes.WRITE_ONLY_IMM,
                    Opcodes.READ_REQUEST,
                    Opcodes.COMPARE_SWAP,
                    Opcodes.FETCH_ADD -> Kind.REQUEST;
            // a SELECTIVE_ACK reports more
            case Opcodes.ACKNOWLEDGE -> Opcodes.isOurs(opcode) ? Kind.OTHER : Kind.ACKNOWLEDGE;
            case Opcodes.READ_RESPONSE_FIRST,
                    Opcodes.READ_RESPONSE_MIDDLE,
                    Opcodes.READ_RESPONSE_LAST,
                    Opcodes.READ_RESPONSE_ONLY,
                    Opcodes.ATOMIC_ACKNOWLEDGE -> Kind.ANSWER;
            default -> Kind.OTHER;
        };
    }

    private static Kind writeOnly(int opcode, boolean acknowledges) {
        if (acknowledges) {
            return Kind.WHOLE_WRITE_ACK;
        }
        return Opcodes.has(opcode, Header.NOTIFY_ETH) ? Kind.REQUEST : Kind.WHOLE_WRITE;
    }

    /**
     * Receives the packet if it is the expected one; otherwise changes nothing.
     *
     * @param isLate it may have waited in this host
     * @return false if the packet must take the general way
     */
    boolean receives(Packet packet, boolean isLate, long nowNanos) {
        MemorySegment bytes = packet.bytes();
        Kind kind = kinds[packet.opcode()];
        if (kind == Kind.OTHER || Bth.isForwardNotice(bytes) || connection.state() != Connection.State.OPEN) {
            return false;
        }
        return switch (kind) {
            case OTHER -> false;
            case ACKNOWLEDGE -> acknowledges(bytes, isLate, nowNanos);
            case ANSWER -> answers(packet, isLate, nowNanos);
            case WHOLE_SEND, WHOLE_WRITE, REQUEST -> requests(packet, kind, isLate, nowNanos);
            case WHOLE_SEND_ACK, WHOLE_WRITE_ACK -> requestsAndAcknowledges(packet, kind, isLate, nowNanos);
        };
    }

    private void heard(long nowNanos) {
        connection.heard(nowNanos);
        traffic.add(Event.PREDICTED);
    }

    // ---- requests

    private boolean requests(Packet packet, Kind kind, boolean isLate, long nowNanos) {
        if (!isNextRequest(packet, kind)) {
            return false;
        }
        heard(nowNanos);
        execute(packet, kind, isLate, nowNanos);
        return true;
    }

    private boolean requestsAndAcknowledges(Packet packet, Kind kind, boolean isLate, long nowNanos) {
        MemorySegment bytes = packet.bytes();
        int ackAt = packet.at(Header.ACK_ETH);
        int psn = AckEth.psn(bytes, ackAt);
        int msn = AckEth.msn(bytes, ackAt);
        if (!isNextRequest(packet, kind) || !acknowledgements.isExpected(psn, msn, nowNanos)) {
            return false;
        }
        heard(nowNanos);
        boolean isDelayed = isLate || Bth.isLate(bytes);
        acknowledgements.takeExpected(psn, msn, Bth.answeredTransmission(bytes), isDelayed, nowNanos);
        execute(packet, kind, isLate, nowNanos);
        return true;
    }

    private boolean isNextRequest(Packet packet, Kind kind) {
        boolean isWhole = kind != Kind.REQUEST;
        return responder.isExpected(Bth.psn(packet.bytes())) && (!isWhole || responder.isBetweenMessages());
    }

    private void execute(Packet packet, Kind kind, boolean isLate, long nowNanos) {
        if (kind == Kind.REQUEST) {
            responder.takeExpected(packet, isLate, nowNanos);
        } else {
            boolean isSend = kind == Kind.WHOLE_SEND || kind == Kind.WHOLE_SEND_ACK;
            responder.takeWholeMessage(packet, isSend, isLate, nowNanos);
        }
    }

    // ---- what answers our requests

    private boolean acknowledges(MemorySegment bytes, boolean isLate, long nowNanos) {
        int psn = Bth.psn(bytes);
        int msn = Aeth.msn(bytes, aethAt);
        boolean isPositive = Aeth.kind(Aeth.syndrome(bytes, aethAt)) == Aeth.Kind.ACK;
        if (!isPositive || !acknowledgements.isExpected(psn, msn, nowNanos)) {
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
