package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;

/**
 * What the responder's packets mean for a {@link Requester} (WIRE §4.3 to §4.5).
 *
 * <p>On a connection of one queue a refusal ends everything, so that whatever is acknowledged was executed. On a shared one
 * messages behind a refused one are acknowledged as well, and the refusal may have been lost: there an acknowledgement
 * counts only when its MSN, the number of messages that have succeeded at the responder, is what the refusals that were
 * heard of let expect. Otherwise everything is sent again, and the responder repeats its verdicts.
 */
final class Acknowledgements {
    private static final int MSN_BITS = 24;

    private final Connection connection;
    private final ConnectionConfig config;
    private final Requester requester;
    private final Retransmission retransmission;
    private final LossRecovery recovery;
    private final InFlight inFlight;
    private final Traffic traffic;

    private final NativeMemory original = NativeMemory.allocate(Long.BYTES);

    /** How many messages have succeeded at the responder before the oldest that is not acknowledged. */
    private int succeeded;

    Acknowledgements(Connection connection, ConnectionConfig config, Requester requester, Traffic traffic) {
        this.connection = connection;
        this.config = config;
        this.requester = requester;
        this.retransmission = requester.retransmission();
        this.recovery = requester.recovery();
        this.inFlight = requester.inFlight();
        this.traffic = traffic;
    }

    // ---- what is expected (HeaderPrediction)

    /**
     * Whether an acknowledgement of that PSN of the wire ends nothing but SENDs and WRITEs that succeed, while everything is
     * in order, and has the count that they let expect.
     */
    boolean isExpected(int psnOnWire, int msn, long nowNanos) {
        long to = Psn.near(requester.unacked(), psnOnWire) + 1;
        if (to <= requester.unacked() || to > requester.end() || !requester.isInOrder(nowNanos)) {
            return false;
        }
        int count = 0;
        for (int i = 0; i < inFlight.numbered() && inFlight.get(i).firstPsn < to; i++) {
            WireMessage message = inFlight.get(i);
            if (!message.isSound()) {
                return false;
            }
            count += message.endPsn() <= to ? 1 : 0;
        }
        return isCountOf(msn, count);
    }

    /** Takes the acknowledgement that is expected. */
    void takeExpected(int psnOnWire, int msn, int transmission, boolean isDelayed, long nowNanos) {
        requester.acknowledgedInOrder(Psn.near(requester.unacked(), psnOnWire) + 1, transmission, isDelayed, nowNanos);
        succeeded = msn;
        retransmission.retransmitLost(nowNanos);
    }

    /** Whether the packet is the next one of the answer to the oldest request, while everything is in order. */
    boolean isExpectedAnswer(Packet packet, long nowNanos) {
        long psn = requester.unacked();
        WireMessage oldest = inFlight.head();
        if (Bth.psn(packet.bytes()) != Psn.onWire(psn) || oldest == null || !requester.isInOrder(nowNanos)) {
            return false;
        }
        boolean isWanted = psn < requester.end() && oldest.isUnanswered() && isFor(oldest, psn, packet, true);
        return isWanted && (!config.isShared() || !beginsResponse(packet) || isCountOf(countOf(packet), 0));
    }

    /** Places the answer that is expected. */
    void takeExpectedAnswer(Packet packet, boolean isDelayed, long nowNanos) {
        takeAnswer(requireNonNull(inFlight.head()), requester.unacked(), packet, true, isDelayed, nowNanos);
        retransmission.retransmitLost(nowNanos);
    }

    // ---- anything

    /** @param isDelayed the packet has waited in one of the hosts: its time is no sign of a congested network */
    void receive(Packet packet, boolean isDelayed, long nowNanos) {
        long psn = Psn.near(requester.unacked(), Bth.psn(packet.bytes()));
        int operation = Opcodes.operation(packet.opcode());
        boolean isAcknowledgement = operation == Opcodes.ACKNOWLEDGE;
        // a NAK of a gap names what the responder expects, which may be what was never sent
        long unacked = requester.unacked();
        if (psn < unacked || psn > requester.end() || psn == requester.end() && !isAcknowledgement) {
            traffic.add(Event.IGNORED);
            old(psn, packet, isDelayed, nowNanos);
        } else if (isAcknowledgement) {
            acknowledgement(psn, packet, isDelayed, nowNanos);
        } else {
            answer(psn, packet, isDelayed, nowNanos);
        }
        goOn(unacked, isDelayed, nowNanos);
    }

    /** An acknowledgement that a request has brought along. */
    void receiveAlong(Packet packet, boolean isDelayed, long nowNanos) {
        int at = packet.at(Header.ACK_ETH);
        long unacked = requester.unacked();
        long psn = Psn.near(unacked, AckEth.psn(packet.bytes(), at));
        if (psn < unacked) {
            traffic.add(Event.IGNORED);
        } else {
            int transmission = Bth.answeredTransmission(packet.bytes());
            acknowledged(psn + 1, AckEth.msn(packet.bytes(), at), transmission, isDelayed, nowNanos);
            goOn(unacked, isDelayed, nowNanos);
        }
    }

    private void goOn(long unacked, boolean isDelayed, long nowNanos) {
        if (requester.unacked() > unacked) {
            takeEarly(isDelayed, nowNanos);
        }
        retransmission.retransmitLost(nowNanos);
    }

    /** What was missing has arrived: the early answers behind it, and an acknowledgement that waited, are taken now. */
    private void takeEarly(boolean isDelayed, long nowNanos) {
        long before;
        do {
            before = requester.unacked();
            WireMessage oldest = inFlight.head();
            while (oldest != null && recovery.hasAnswer(requester.unacked())) {
                answered(oldest, requester.unacked(), Bth.NO_TRANSMISSION, isDelayed, nowNanos);
                oldest = inFlight.head();
            }
            if (oldest != null && recovery.keptAcknowledgement() > requester.unacked()) {
                acknowledged(
                        recovery.keptAcknowledgement(), recovery.keptMsn(), Bth.NO_TRANSMISSION, isDelayed, nowNanos);
            }
        } while (requester.unacked() > before);
    }

    /** What comes so late may yet say that what was sent again had not been lost. */
    private void old(long psn, Packet packet, boolean isDelayed, long nowNanos) {
        if (psn >= requester.unacked() || psn <= requester.end() - ConnectionConfig.MAX_WINDOW_PACKETS) {
            return;
        }
        if (Opcodes.operation(packet.opcode()) == Opcodes.ACKNOWLEDGE) {
            more(psn, Aeth.syndrome(packet.bytes(), packet.at(Header.AETH)), packet, isDelayed, nowNanos);
        } else {
            recovery.answeredTwice(psn, nowNanos);
        }
    }

    /** What an acknowledgement of a urma4j peer reports beside what it acknowledges. */
    private void more(long psn, int syndrome, Packet packet, boolean isDelayed, long nowNanos) {
        boolean isSelective = Opcodes.isOurs(packet.opcode());
        int bytes = isSelective ? Math.min(packet.payloadBytes(), OutOfOrder.TOLD_BYTES) : 0;
        if (syndrome == Aeth.ACK_PLACING && config.peerIsOurs()) {
            boolean isCurrent = psn + 1 == requester.unacked();
            requester.placing(psn, packet.bytes(), packet.payloadAt(), isCurrent ? bytes : 0, isDelayed, nowNanos);
        } else if (isSelective && Aeth.kind(syndrome) == Aeth.Kind.ACK) {
            recovery.reportedTwice(psn, -1, requester.end(), packet.bytes(), packet.payloadAt(), bytes, nowNanos);
        }
    }

    // ---- acknowledgements

    private void acknowledgement(long psn, Packet packet, boolean isDelayed, long nowNanos) {
        int at = packet.at(Header.AETH);
        int syndrome = Aeth.syndrome(packet.bytes(), at);
        int msn = Aeth.msn(packet.bytes(), at);
        switch (Aeth.kind(syndrome)) {
            case ACK -> {
                acknowledged(psn + 1, msn, answeredTransmission(packet), isDelayed, nowNanos);
                more(psn, syndrome, packet, isDelayed, nowNanos);
            }
            case RNR_NAK -> refused(psn, syndrome, isDelayed, nowNanos);
            case NAK -> {
                if (syndrome == Aeth.NAK_SEQUENCE) {
                    gap(psn, msn, packet, isDelayed, nowNanos);
                } else {
                    refused(psn, Aeth.refusal(syndrome, answeredTransmission(packet)), isDelayed, nowNanos);
                }
            }
            case RESERVED -> traffic.add(Event.IGNORED);
        }
    }

    /** Everything before that PSN; false when something of it must be retransmitted. */
    private boolean acknowledged(long to, int msn, int transmission, boolean isDelayed, long nowNanos) {
        if (to > requester.end()) {
            traffic.add(Event.IGNORED);
            return false;
        }
        if (!isCountRight(to, msn)) {
            retransmission.goBack(nowNanos);
            return false;
        }
        boolean isWhole = requester.advance(to, transmission, isDelayed, nowNanos);
        succeeded = msn - countOfInFlight(to); // nothing is left of it unless an answer is missing
        if (isWhole) {
            return true;
        }
        if (recovery.keepsEarlyAnswers()) {
            recovery.keepAcknowledgement(to, msn, nowNanos);
        } else {
            retransmission.goBack(nowNanos);
        }
        return false;
    }

    /** The responder has everything before that PSN, and misses it. */
    private void gap(long psn, int msn, Packet packet, boolean isDelayed, long nowNanos) {
        traffic.add(Event.GAP_NAK);
        // an acknowledgement that waits for lost answers counts as well
        boolean isWhole = acknowledged(psn, msn, Bth.NO_TRANSMISSION, isDelayed, nowNanos);
        if (!isWhole && recovery.keptAcknowledgement() < psn) {
            return;
        }
        if (recovery.isArrivalReport(packet.opcode())) {
            report(psn, packet, isDelayed, nowNanos);
        } else {
            retransmission.goBackForGap(nowNanos);
        }
    }

    /** What the responder has behind the gap, and what has arrived there twice. */
    private void report(long psn, Packet packet, boolean isDelayed, long nowNanos) {
        NativeMemory bytes = packet.bytes();
        long at = packet.payloadAt();
        int kept = Math.min(packet.payloadBytes(), OutOfOrder.TOLD_BYTES);
        int again = Math.min(packet.payloadBytes() - kept, OutOfOrder.TOLD_BYTES);
        requester.reported(psn, bytes, at, kept, isDelayed, nowNanos);
        recovery.reportedTwice(psn + 1, 1, requester.end(), bytes, at + kept, again, nowNanos);
    }

    /** A message was refused, or its receiver was not ready. */
    private void refused(long psn, int syndrome, boolean isDelayed, long nowNanos) {
        if (psn == requester.end()) {
            traffic.add(Event.IGNORED);
        } else if (config.isShared()) {
            judge(psn, syndrome);
        } else if (!requester.advance(psn, Bth.NO_TRANSMISSION, isDelayed, nowNanos)) {
            retransmission.goBack(nowNanos);
        } else if (Aeth.kind(syndrome) == Aeth.Kind.RNR_NAK) {
            traffic.add(Event.RNR_RECEIVED);
            requester.hold(RnrTimer.nanos(Aeth.value(syndrome)), nowNanos);
        } else {
            traffic.nakReceived(syndrome);
            WireMessage oldest = inFlight.head();
            if (oldest != null) {
                oldest.request().refused(syndrome);
                connection.fail(Request.status(syndrome), nowNanos);
            }
        }
    }

    // ---- shared connections

    /**
     * A message was refused. Nothing is acknowledged by it: that comes behind it. What takes no receive waits for none: an RNR
     * NAK refuses it like any other NAK.
     */
    private void judge(long psn, int syndrome) {
        WireMessage message = inFlight.find(psn);
        if (message == null || message.isRefused) {
            return;
        }
        requester.cutShort(message);
        Request request = message.request();
        boolean waits = Aeth.kind(syndrome) == Aeth.Kind.RNR_NAK && request.takesReceive();
        if (waits) {
            traffic.add(Event.RNR_RECEIVED);
            request.waitNanos = Math.max(request.waitNanos, RnrTimer.nanos(Aeth.value(syndrome)));
        } else {
            traffic.nakReceived(syndrome);
            request.refused(syndrome);
        }
    }

    /**
     * Whether so many messages have succeeded as must have, when everything before that PSN is acknowledged and nothing
     * was refused but what is known.
     */
    private boolean isCountRight(long to, int msn) {
        return isCountOf(msn, config.isShared() ? countOfInFlight(to) : 0);
    }

    /** Whether that many messages more than at the last acknowledgement have succeeded; on a shared connection alone. */
    private boolean isCountOf(int msn, int more) {
        return !config.isShared() || (msn - succeeded - more) << Integer.SIZE - MSN_BITS == 0;
    }

    /** How many messages in flight that end before that PSN count at the responder, if it has executed them. */
    private int countOfInFlight(long to) {
        int count = 0;
        for (int i = 0; i < inFlight.numbered() && inFlight.get(i).endPsn() <= to; i++) {
            WireMessage message = inFlight.get(i);
            if (message.packets > 0 && (message.isAnswered() || !message.isRefused)) {
                count++; // what is answered counts at the responder, however the answer is
            }
        }
        return count;
    }

    // ---- answers of READs and atomics

    private void answer(long psn, Packet packet, boolean isDelayed, long nowNanos) {
        boolean isInTurn = isNext(psn, packet, isDelayed, nowNanos);
        if (!isInTurn && !mayBeEarly(psn)) {
            recovery.answeredTwice(psn, nowNanos);
            return;
        }
        WireMessage message = isInTurn ? inFlight.head() : inFlight.find(psn);
        if (message == null || !isFor(message, psn, packet, isInTurn)) {
            traffic.add(Event.IGNORED);
        } else {
            takeAnswer(message, psn, packet, isInTurn, isDelayed, nowNanos);
        }
    }

    private void takeAnswer(
            WireMessage message, long psn, Packet packet, boolean isInTurn, boolean isDelayed, long nowNanos) {
        if (message.request().isRead()) {
            takeRead(message, psn, packet);
        } else {
            takeAtomic(message.request(), packet);
        }
        int transmission = psn == message.firstPsn ? answeredTransmission(packet) : Bth.NO_TRANSMISSION;
        if (isInTurn) {
            recovery.answered(psn, nowNanos);
            answered(message, psn, transmission, isDelayed, nowNanos);
        } else {
            recovery.answeredEarly(psn, isEnd(packet), nowNanos);
            requester.answeredEarly(message, transmission, isDelayed, nowNanos);
        }
    }

    /** Whether an answer that is not the next one has arrived for the first time, and is placed. */
    private boolean mayBeEarly(long psn) {
        return recovery.keepsEarlyAnswers() && psn > requester.unacked() && !recovery.hasAnswer(psn);
    }

    /** Which transmission a packet answers; others than urma4j do not tell, and what they put there is not looked at. */
    private int answeredTransmission(Packet packet) {
        return config.peerIsOurs() ? Bth.answeredTransmission(packet.bytes()) : Bth.NO_TRANSMISSION;
    }

    /** Whether the answer is one to the message, and can be stored now; if not, it counts as lost. */
    private boolean isFor(WireMessage message, long psn, Packet packet, boolean isInTurn) {
        boolean isAtomic = Opcodes.operation(packet.opcode()) == Opcodes.ATOMIC_ACKNOWLEDGE;
        return message.isAnswered()
                && message.request().isRead() != isAtomic
                && (isInTurn ? psn == requester.unacked() : message.isUnanswered())
                && message.takesAnswer(psn, packet.payloadBytes(), config.mtuBytes());
    }

    /** Whether nothing that belongs to it follows. */
    private static boolean isEnd(Packet packet) {
        return switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_RESPONSE_FIRST, Opcodes.READ_RESPONSE_MIDDLE -> false;
            default -> true;
        };
    }

    private void takeRead(WireMessage message, long psn, Packet packet) {
        Request request = message.request();
        long at = (psn - message.firstPsn) * config.mtuBytes();
        int length = (int) Math.min(config.mtuBytes(), message.lengthBytes - at);
        if (packet.payloadBytes() != length) {
            request.fail(WorkStatus.REM_RESP_LEN_ERR);
        } else {
            place(request, message.fromByte + at, packet.bytes(), packet.payloadAt(), length);
        }
    }

    private void takeAtomic(Request request, Packet packet) {
        long value = AtomicAckEth.original(packet.bytes(), packet.at(Header.ATOMIC_ACK_ETH));
        if (request.lengthBytes == Integer.BYTES) {
            original.setInt(0, (int) value);
        } else {
            original.setLong(0, value);
        }
        place(request, 0, original, 0, (int) request.lengthBytes);
    }

    /** Answers acknowledge what was before them; false when something of that was lost. */
    private boolean isNext(long psn, Packet packet, boolean isDelayed, long nowNanos) {
        boolean hasCount = beginsResponse(packet);
        if (psn == requester.unacked() && !(hasCount && config.isShared())) {
            return true;
        }
        if (!hasCount) {
            if (!recovery.keepsEarlyAnswers()) {
                retransmission.goBack(nowNanos);
            }
            return false;
        }
        return acknowledged(psn, countOf(packet), Bth.NO_TRANSMISSION, isDelayed, nowNanos);
    }

    /** How many messages have succeeded before the one that is answered, which counts already. */
    private static int countOf(Packet answer) {
        return Aeth.msn(answer.bytes(), answer.at(Header.AETH)) - 1;
    }

    /** The count of the first packet of a response is compared; that of the others, if they have one, means nothing. */
    private static boolean beginsResponse(Packet packet) {
        return switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_RESPONSE_MIDDLE, Opcodes.READ_RESPONSE_LAST -> false;
            default -> true;
        };
    }

    private void answered(WireMessage oldest, long psn, int transmission, boolean isDelayed, long nowNanos) {
        succeeded += psn + 1 == oldest.endPsn() ? 1 : 0;
        requester.answered(transmission, isDelayed, nowNanos);
    }

    private static void place(Request request, long toOffset, NativeMemory from, long fromOffset, int length) {
        boolean isWanted = length > 0 && !request.isAbandoned;
        if (isWanted && !request.work().scatter(request.position, toOffset, from, fromOffset, length)) {
            request.fail(WorkStatus.LOC_ACCESS_ERR);
        }
    }
}
