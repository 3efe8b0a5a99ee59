package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.NotifyEth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;

/** Writes the packets of requests: opcode, headers, and part of the payload (WIRE §2, §3). */
final class RequestPackets {
    /** The result of sending a packet. */
    enum Outcome {
        SENT,
        /** The port has no space. */
        NO_ROOM,
        /** The payload cannot be read: the request has failed with that status. */
        NO_PAYLOAD
    }

    private static final int IMMEDIATE_BITS = 32;

    // the additional headers of the last or only packet of a message
    private enum Tail {
        NOTHING,
        IMMEDIATE,
        IMMEDIATE_64,
        INVALIDATE,
        NOTIFY
    }

    private final PacketWriter writer;
    private final ResponseScheduler answers;
    private final boolean mayAcknowledge;
    private final boolean isShared;
    private final int mtuBytes;
    private final PayloadCopies payloadCopies = new PayloadCopies();

    /** @param answers of the other half: whether an acknowledgement is pending */
    RequestPackets(ConnectionConfig config, PacketWriter writer, ResponseScheduler answers) {
        this.writer = writer;
        this.answers = answers;
        this.mayAcknowledge = config.peerIsOurs();
        this.isShared = config.isShared();
        this.mtuBytes = config.mtuBytes();
    }

    /** Whether the payload of the packet of that PSN is being fetched, so that the connection is woken when it is here. */
    boolean awaitsPayload(WireMessage message, long psn) {
        Request request = message.request();
        if (request.isAbandoned || message.isUncertain || request.isAnswered()) {
            return false;
        }
        long from = (psn - message.firstPsn) * mtuBytes;
        int length = (int) Math.min(mtuBytes, message.lengthBytes - from);
        return length > 0 && request.work().awaits(request.position, message.fromByte + from, length);
    }

    /**
     * Sends the packet of that PSN; of a READ, the request for all responses from there on.
     *
     * @param transmission which one of this packet it is
     * @param isAlone it is the whole message, and nothing else is in flight: then it may piggyback an acknowledgement,
     *     which would have been a separate packet. Among many packets it would break the run of equal lengths
     */
    Outcome send(WireMessage message, long psn, int transmission, boolean asksForAcknowledgement, boolean isAlone) {
        Request request = message.request();
        if (request.isAbandoned || message.isUncertain) {
            return sendFiller(message, psn, transmission);
        }
        if (request.isRead()) {
            return sendRead(message, psn, message.endPsn(), transmission);
        }
        return WorkOpcode.isAtomic(request.opcode)
                ? sendAtomic(request, psn, transmission)
                : sendPart(message, psn, transmission, asksForAcknowledgement, isAlone);
    }

    /** Replaces a packet whose payload is gone: ends the message at the responder without any effect. */
    private Outcome sendFiller(WireMessage message, long psn, int transmission) {
        int flags = Bth.solicits(psn + 1 == message.endPsn());
        int ack = writer.requests(true, transmission);
        Packet packet = writer.begin(writer.ours(Opcodes.RESYNC), flags, ack, psn, 0, message.request());
        if (packet == null) {
            return Outcome.NO_ROOM;
        }
        if (psn == message.firstPsn) {
            Bth.markFirst(packet.bytes());
        }
        writer.end(0);
        return Outcome.SENT;
    }

    /** On a connection of one queue: the responder continues behind that PSN, wherever it is. False if there is no space. */
    boolean sendResync(long psn) {
        Packet packet = writer.beginAnswer(writer.ours(Opcodes.RESYNC), psn, 0, Bth.NO_TRANSMISSION, false);
        if (packet == null) {
            return false;
        }
        Bth.solicit(packet.bytes());
        Bth.addAck(packet.bytes(), Bth.asks(true));
        writer.end(0);
        return true;
    }

    /**
     * Of a READ or an atomic: requests the responses in a range of PSNs, the end excluded, again. False if there is no
     * space.
     */
    boolean sendAgain(WireMessage message, long psn, long endPsn, int transmission) {
        Outcome outcome = message.request().isRead()
                ? sendRead(message, psn, endPsn, transmission)
                : sendAtomic(message.request(), psn, transmission);
        return outcome == Outcome.SENT;
    }

    private Outcome sendRead(WireMessage message, long psn, long endPsn, int transmission) {
        Request request = message.request();
        int ack = writer.requests(true, transmission);
        Packet packet = writer.begin(writer.standard(Opcodes.READ_REQUEST), 0, ack, psn, 0, request);
        if (packet == null) {
            return Outcome.NO_ROOM;
        }
        long had = (psn - message.firstPsn) * mtuBytes;
        Reth.put(
                packet.bytes(),
                packet.at(Header.RETH),
                request.remoteVa + message.fromByte + had,
                request.remoteKey,
                Math.min(message.lengthBytes - had, (endPsn - psn) * mtuBytes));
        writer.end(0);
        return Outcome.SENT;
    }

    private Outcome sendAtomic(Request request, long psn, int transmission) {
        boolean inRoce = request.lengthBytes == Long.BYTES
                && (request.opcode == WorkOpcode.CAS || request.opcode == WorkOpcode.FADD);
        int opcode = inRoce
                ? writer.standard(request.opcode == WorkOpcode.CAS ? Opcodes.COMPARE_SWAP : Opcodes.FETCH_ADD)
                : writer.ours(Opcodes.ATOMIC);
        Packet packet = writer.begin(opcode, 0, writer.requests(true, transmission), psn, 0, request);
        if (packet == null) {
            return Outcome.NO_ROOM;
        }
        NativeMemory bytes = packet.bytes();
        long compare = request.opcode == WorkOpcode.CAS ? request.expected() : 0;
        AtomicEth.put(
                bytes, packet.at(Header.ATOMIC_ETH), request.remoteVa, request.remoteKey, request.operand(), compare);
        if (!inRoce) {
            AtomicKind.put(bytes, packet.at(Header.ATOMIC_KIND), request.opcode, (int) request.lengthBytes);
        }
        writer.end(0);
        return Outcome.SENT;
    }

    /** A packet of a SEND or WRITE. */
    private Outcome sendPart(
            WireMessage message, long psn, int transmission, boolean asksForAcknowledgement, boolean isAlone) {
        Request request = message.request();
        int index = (int) (psn - message.firstPsn);
        long from = (long) index * mtuBytes;
        int length = (int) Math.min(mtuBytes, message.lengthBytes - from);
        boolean isLast = from + length == message.lengthBytes;
        Tail tail = isLast && message.isLastOfRequest ? tail(request) : Tail.NOTHING;
        boolean isWrite = !isSend(request.opcode);
        boolean acknowledges = isAlone && tail == Tail.NOTHING && mayAcknowledge && answers.isMereAcknowledgementDue();
        int opcode = acknowledges ? acknowledging(isWrite) : opcode(isWrite, index == 0, isLast, tail);
        int flags = Bth.solicits(isLast && request.isSolicited() && WorkOpcode.isMessage(request.opcode));
        int ack = writer.requests(asksForAcknowledgement || isLast, transmission)
                | (acknowledges ? PacketWriter.answers(answers) : 0);
        Packet packet = writer.begin(opcode, flags, ack, psn, length, request);
        if (packet == null) {
            return Outcome.NO_ROOM;
        }
        NativeMemory bytes = packet.bytes();
        payloadCopies.prepare(packet, transmission != Bth.FIRST_TRANSMISSION);
        if (isWrite && index == 0) {
            long va = request.remoteVa + message.fromByte;
            Reth.put(bytes, packet.at(Header.RETH), va, request.remoteKey, message.lengthBytes);
        }
        putTail(packet, tail, request);
        if (acknowledges) {
            PacketWriter.acknowledge(packet, answers);
        }
        long fromByte = message.fromByte + from;
        if (length > 0 && !request.work().gather(request.position, fromByte, packet, length)) {
            request.fail(WorkStatus.LOC_ACCESS_ERR);
            return Outcome.NO_PAYLOAD; // what was begun and not ended never leaves
        }
        writer.end(length);
        if (acknowledges) {
            answers.acknowledgementLeft();
        }
        return Outcome.SENT;
    }

    private int acknowledging(boolean isWrite) {
        return writer.ours(isWrite ? Opcodes.WRITE_ONLY_ACK : Opcodes.SEND_ONLY_ACK);
    }

    private static boolean isSend(int opcode) {
        return opcode >= WorkOpcode.SEND && opcode <= WorkOpcode.SEND_INVALIDATE;
    }

    private static Tail tail(Request request) {
        return switch (request.opcode) {
            case WorkOpcode.SEND_IMM, WorkOpcode.WRITE_IMM ->
                request.operand() >>> IMMEDIATE_BITS == 0 ? Tail.IMMEDIATE : Tail.IMMEDIATE_64;
            case WorkOpcode.SEND_INVALIDATE -> Tail.INVALIDATE;
            case WorkOpcode.WRITE_NOTIFY -> Tail.NOTIFY;
            default -> Tail.NOTHING;
        };
    }

    private int opcode(boolean isWrite, boolean isFirst, boolean isLast, Tail tail) {
        if (!isLast) {
            int first = isWrite ? Opcodes.WRITE_FIRST : Opcodes.SEND_FIRST;
            int middle = isWrite ? Opcodes.WRITE_MIDDLE : Opcodes.SEND_MIDDLE;
            return writer.standard(isFirst ? first : middle);
        }
        return isWrite ? writeEnd(isFirst, tail) : sendEnd(isFirst, tail);
    }

    private int sendEnd(boolean isOnly, Tail tail) {
        return switch (tail) {
            case NOTHING, NOTIFY -> writer.standard(isOnly ? Opcodes.SEND_ONLY : Opcodes.SEND_LAST);
            case IMMEDIATE -> writer.standard(isOnly ? Opcodes.SEND_ONLY_IMM : Opcodes.SEND_LAST_IMM);
            case IMMEDIATE_64 -> writer.ours(isOnly ? Opcodes.SEND_ONLY_IMM64 : Opcodes.SEND_LAST_IMM64);
            case INVALIDATE -> {
                int operation = isOnly ? Opcodes.SEND_ONLY_INVALIDATE : Opcodes.SEND_LAST_INVALIDATE;
                yield isShared ? writer.ours(operation) : writer.standard(operation); // RD has none
            }
        };
    }

    private int writeEnd(boolean isOnly, Tail tail) {
        return switch (tail) {
            case NOTHING, INVALIDATE -> writer.standard(isOnly ? Opcodes.WRITE_ONLY : Opcodes.WRITE_LAST);
            case IMMEDIATE -> writer.standard(isOnly ? Opcodes.WRITE_ONLY_IMM : Opcodes.WRITE_LAST_IMM);
            case IMMEDIATE_64 -> writer.ours(isOnly ? Opcodes.WRITE_ONLY_IMM64 : Opcodes.WRITE_LAST_IMM64);
            case NOTIFY -> writer.ours(isOnly ? Opcodes.WRITE_ONLY_NOTIFY : Opcodes.WRITE_LAST_NOTIFY);
        };
    }

    private static void putTail(Packet packet, Tail tail, Request request) {
        NativeMemory bytes = packet.bytes();
        switch (tail) {
            case NOTHING -> {}
            case IMMEDIATE -> ImmDt.put(bytes, packet.at(Header.IMM_DT), (int) request.operand());
            case IMMEDIATE_64 -> Imm64.put(bytes, packet.at(Header.IMM_64), request.operand());
            case INVALIDATE -> Ieth.put(bytes, packet.at(Header.IETH), (int) request.operand());
            case NOTIFY ->
                NotifyEth.put(
                        bytes,
                        packet.at(Header.NOTIFY_ETH),
                        request.expected(),
                        request.notifyKey(),
                        request.operand());
        }
    }
}
