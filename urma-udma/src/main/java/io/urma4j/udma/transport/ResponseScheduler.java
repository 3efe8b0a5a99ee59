package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What a responder has to tell, in the order of the requests: answers of READs and atomics, refusals, and at last how far
 * it is. Nothing is queued: what is due is seen from the state, so that a port without room or a peer that asks again and
 * again takes no memory, and several acknowledgements become one.
 */
final class ResponseScheduler {
    private static final int MSN_MASK = 0xFF_FFFF;

    // in verdicts, beside the syndromes of refusals, which are 0x20…0x3F and 0x60…0x6F
    private static final int DUE = 0x80;
    private static final int BEHIND_NOT_READY = 0x20; // added
    private static final int BEHIND_ERROR = 0x10; // added
    private static final long NONE = Long.MAX_VALUE;

    /** Packets that have come again are told of no further back than this. */
    private static final int AGAIN_PACKETS = OutOfOrder.SLOTS;

    /** Of a SELECTIVE_ACK: what is kept, and what has come again. */
    private static final int MOST_TOLD_BYTES = 2 * OutOfOrder.TOLD_BYTES;

    private final ConnectionConfig config;
    private final Memory memory;
    private final PacketWriter writer;
    private final ResponderResources resources;
    private final @Nullable OutOfOrder outOfOrder;
    private final Traffic traffic;

    /** How many messages have succeeded. */
    private int msn;

    /** The PSN that an acknowledgement names. */
    private long acknowledged;

    /** Which transmission of that PSN causes the acknowledgement, unless another packet does. */
    private int acknowledgedTransmission = Bth.NO_TRANSMISSION;

    private boolean isAcknowledgementDue;
    private boolean isGapDue;

    // a refusal on a connection of one queue: RNR, or an error
    private boolean isRefusalDue;
    private int refusal;
    private long refusedPsn;

    /** Of a peer that repeats what was lost: packets that have come again. */
    private final @Nullable PsnSet again;

    /** One that is not kept came since it was told. */
    private boolean isAgainDue;

    // on shared connections
    private final @Nullable NakHistory nakHistory;
    private long dueFrom = NONE;
    private long cameAgainLast = NONE;

    /** On a connection of one queue: where a READ could not be answered any more; {@link #NONE} when that was told. */
    private long readFailedAt = NONE;

    ResponseScheduler(
            ConnectionConfig config,
            Memory memory,
            PacketWriter writer,
            ResponderResources resources,
            @Nullable OutOfOrder outOfOrder,
            Traffic traffic) {
        this.config = config;
        this.memory = memory;
        this.writer = writer;
        this.resources = resources;
        this.outOfOrder = outOfOrder;
        this.traffic = traffic;
        this.acknowledged = config.firstReceivePsn() - 1L;
        this.nakHistory = config.isShared() ? new NakHistory() : null;
        this.again = outOfOrder == null ? null : new PsnSet();
    }

    // ---- what is due

    int msn() {
        return msn;
    }

    void succeed() {
        msn = msn + 1 & MSN_MASK;
    }

    /** Packets were executed; an acknowledgement names them from now on. */
    void executed(long psn, long expected, int transmission) {
        acknowledged = expected - 1;
        acknowledgedTransmission = transmission;
        forget(psn, expected);
    }

    /** The same for a READ. Linux does not name it: its answer acknowledges it (WIRE §4.2). */
    void executedRead(long psn, long expected) {
        if (config.isShared()) {
            acknowledged = expected - 1;
            acknowledgedTransmission = Bth.NO_TRANSMISSION;
        }
        forget(psn, expected);
    }

    private void forget(long psn, long expected) {
        if (nakHistory != null) {
            nakHistory.clear(psn, expected);
        }
        if (again != null && again.count() > 0) {
            again.clear(psn + AGAIN_PACKETS, expected + AGAIN_PACKETS); // of long ago, with the same place
        }
    }

    /** What is told from now on was caused by that packet, not by the one of {@link #acknowledged}, unless they are the same. */
    void causedBy(long psn, int transmission) {
        acknowledgedTransmission = psn == acknowledged ? transmission : Bth.NO_TRANSMISSION;
    }

    /** A packet has come that had come before. A peer that repeats what was lost is told, for it was not. */
    void cameAgain(long psn) {
        if (again != null && acknowledged - psn < AGAIN_PACKETS) {
            again.add(psn);
            isAgainDue |= psn <= acknowledged;
        }
    }

    void acknowledge() {
        isAcknowledgementDue = true;
    }

    /** Whoever asks for what is not remembered learns on a shared connection how far the responder is. */
    void acknowledgeShared() {
        isAcknowledgementDue |= config.isShared();
    }

    /** What is expected is missing. */
    void gap() {
        isGapDue = true;
    }

    void notReady(long psn, int syndrome) {
        refuse(psn, syndrome);
    }

    void refuse(long psn, int syndrome) {
        refusal = syndrome;
        refusedPsn = psn;
        isRefusalDue = true;
    }

    void refuseAgain() {
        isRefusalDue = true;
    }

    /** A message of a shared connection was refused at that PSN. */
    void judge(long psn, long expected, int syndrome) {
        executed(psn, expected, Bth.NO_TRANSMISSION);
        due(psn, syndrome);
    }

    /** A packet came that is left of a refused message: whoever asks for it again is told the same. */
    void discarded(long psn, int syndrome) {
        if (nakHistory != null) {
            boolean isNotReady = Aeth.kind(syndrome) == Aeth.Kind.RNR_NAK;
            nakHistory.set(psn, syndrome + (isNotReady ? BEHIND_NOT_READY : BEHIND_ERROR));
            isAcknowledgementDue = true;
        }
    }

    private static boolean isBehind(int verdict) {
        return verdict >= 0x70 || verdict >= 0x40 && verdict < 0x60;
    }

    private static int syndrome(int verdict) {
        int told = verdict & ~DUE;
        return isBehind(told) ? told - (told < 0x60 ? BEHIND_NOT_READY : BEHIND_ERROR) : told;
    }

    /**
     * The requester goes back to that PSN: every verdict from there on may have been lost. It waits for all of them, but need
     * not come to all of them with the window that it has now. Of what comes again behind the first, its own is enough.
     */
    void judgeAgain(long psn, long expected) {
        if (nakHistory != null && expected - psn <= ConnectionConfig.MAX_WINDOW_PACKETS) {
            long end = psn == cameAgainLast + 1 ? psn + 1 : expected;
            for (long at = nakHistory.next(psn, end); at < end; at = nakHistory.next(at + 1, end)) {
                int verdict = nakHistory.get(at) & ~DUE;
                if (at == psn || !isBehind(verdict)) {
                    due(at, verdict);
                }
            }
            cameAgainLast = psn;
        }
    }

    private void due(long psn, int syndrome) {
        if (nakHistory != null) {
            nakHistory.set(psn, syndrome | DUE);
            dueFrom = Math.min(dueFrom, psn);
            isAcknowledgementDue = true;
        }
    }

    // ---- telling it

    /**
     * Sends what is due; true when there is more, for the port had no room or the budget was used up.
     *
     * @param holds a mere acknowledgement is left for the next call
     */
    boolean send(long expected, int budget, boolean holds) {
        for (int sent = 0; sent < budget; sent++) {
            ResponderResource resource = resources.wanted();
            long judged = nextVerdict(expected);
            boolean isSent;
            if (resource != null && resource.nextPsn() < judged) {
                isSent = resource.isRead ? sendRead(resource) : sendAtomic(resource);
            } else if (judged != NONE) {
                isSent = sendVerdict(judged);
            } else if (readFailedAt != NONE) {
                isSent = tell(readFailedAt, Aeth.NAK_REMOTE_ACCESS);
                readFailedAt = isSent ? NONE : readFailedAt;
            } else if (isRefusalDue) {
                isSent = tell(refusedPsn, refusal);
                isRefusalDue = !isSent;
                isAcknowledgementDue &= !isSent;
            } else if (isGapDue) {
                isSent = outOfOrder == null ? tell(expected, Aeth.NAK_SEQUENCE) : tellKept(outOfOrder, expected);
                isGapDue = !isSent;
                isAcknowledgementDue &= !isSent;
            } else if (isAcknowledgementDue && !holds) {
                isSent = again != null && isAgainDue ? tellAgain(again) : tellAcknowledged();
                isAcknowledgementDue = !isSent;
            } else {
                return false;
            }
            if (!isSent) {
                return true;
            }
        }
        return true;
    }

    boolean isAcknowledgementDue() {
        return isAcknowledgementDue;
    }

    /** Whether nothing but an acknowledgement is due, which a request may bring along. */
    boolean isMereAcknowledgementDue() {
        return isAcknowledgementDue
                && !isAgainDue
                && !isGapDue
                && !isRefusalDue
                && dueFrom == NONE
                && readFailedAt == NONE
                && resources.wanted() == null;
    }

    /** Which transmission of the PSN that it names has caused it, if one has. */
    int acknowledgedTransmission() {
        return acknowledgedTransmission;
    }

    /** The PSN that it names. */
    long acknowledged() {
        return acknowledged;
    }

    /** A request has brought it along. */
    void acknowledgementLeft() {
        isAcknowledgementDue = false;
    }

    private long nextVerdict(long expected) {
        while (nakHistory != null && dueFrom != NONE) {
            dueFrom = nakHistory.next(Math.max(dueFrom, expected - ConnectionConfig.MAX_WINDOW_PACKETS), expected);
            if (dueFrom == expected) {
                dueFrom = NONE;
            } else if ((nakHistory.get(dueFrom) & DUE) != 0) {
                return dueFrom;
            } else {
                dueFrom++;
            }
        }
        return NONE;
    }

    private boolean sendVerdict(long psn) {
        if (nakHistory == null) {
            return true;
        }
        int verdict = nakHistory.get(psn) & ~DUE;
        if (!tell(psn, syndrome(verdict))) {
            return false;
        }
        nakHistory.set(psn, verdict);
        return true;
    }

    private boolean tellAcknowledged() {
        return tell(acknowledged, Aeth.ACK, acknowledgedTransmission);
    }

    private boolean tell(long psn, int syndrome) {
        return tell(psn, syndrome, Bth.NO_TRANSMISSION);
    }

    private boolean tell(long psn, int syndrome, int transmission) {
        Packet packet = writer.beginAnswer(writer.standard(Opcodes.ACKNOWLEDGE), psn, 0, transmission);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, msn);
        writer.end(0);
        return true;
    }

    /** What is missing, and what of the packets behind it is there. */
    private boolean tellKept(OutOfOrder kept, long expected) {
        Packet packet = writer.beginAnswer(writer.ours(Opcodes.SELECTIVE_ACK), expected, MOST_TOLD_BYTES);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.NAK_SEQUENCE, msn);
        int bytes = kept.tell(packet.bytes(), packet.payloadAt(), expected);
        int againBytes = again == null ? 0 : tell(again, expected + 1, 1, packet, OutOfOrder.TOLD_BYTES);
        if (againBytes > 0) {
            packet.bytes()
                    .asSlice(packet.payloadAt() + bytes, OutOfOrder.TOLD_BYTES - bytes)
                    .fill((byte) 0);
            bytes = OutOfOrder.TOLD_BYTES + againBytes;
        }
        writer.end(bytes);
        return true;
    }

    /** How far it is, and what has come again before that. */
    private boolean tellAgain(PsnSet cameAgain) {
        Packet packet = writer.beginAnswer(
                writer.ours(Opcodes.SELECTIVE_ACK), acknowledged, MOST_TOLD_BYTES, acknowledgedTransmission);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, msn);
        writer.end(tell(cameAgain, acknowledged, -1, packet, 0));
        isAgainDue = false;
        return true;
    }

    /**
     * Writes which ones have come again, a bit each from that PSN on, forwards or backwards.
     *
     * @return its length in bytes
     */
    private static int tell(PsnSet cameAgain, long psn, int step, Packet packet, int atByte) {
        int told = 0;
        int bits = 0;
        for (int i = 0; i < AGAIN_PACKETS && cameAgain.count() > 0; i++) {
            bits |= cameAgain.has(psn + (long) step * i) ? 1 << i % Byte.SIZE : 0;
            if (i % Byte.SIZE == Byte.SIZE - 1) {
                packet.bytes().set(JAVA_BYTE, packet.payloadAt() + atByte + i / Byte.SIZE, (byte) bits);
                told = bits == 0 ? told : i / Byte.SIZE + 1;
                bits = 0;
            }
        }
        return told;
    }

    private boolean sendAtomic(ResponderResource resource) {
        Packet packet = writer.beginAnswer(
                writer.standard(Opcodes.ATOMIC_ACKNOWLEDGE), resource.firstPsn, 0, resource.transmission);
        if (packet == null) {
            return false;
        }
        Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, resource.msn);
        AtomicAckEth.put(packet.bytes(), packet.at(Header.ATOMIC_ACK_ETH), resource.original);
        writer.end(0);
        resource.letGo();
        return true;
    }

    private boolean sendRead(ResponderResource resource) {
        long psn = resource.nextPsn();
        boolean isFirst = resource.isAtStart();
        boolean isLast = resource.isAtEnd();
        long from = (psn - resource.firstPsn) * config.mtuBytes();
        int length = (int) Math.min(config.mtuBytes(), resource.endByte() - from);
        Packet packet = writer.beginAnswer(readOpcode(isFirst, isLast), psn, length, resource.transmission);
        if (packet == null) {
            return false;
        }
        MemorySegment bytes = packet.bytes();
        if (Opcodes.has(packet.opcode(), Header.AETH)) {
            Aeth.put(bytes, packet.at(Header.AETH), Aeth.ACK, resource.msn);
        }
        boolean isThere = length == 0
                || memory.read(
                        resource.remoteKey, resource.va + from, bytes, packet.payloadAt(), length, config.number());
        if (!isThere) {
            return failRead(resource, psn);
        }
        writer.end(length);
        resource.sent();
        return true;
    }

    /** To peers of ours all have one length, so that they leave in runs: what is in the middle has an AETH, too. */
    private int readOpcode(boolean isFirst, boolean isLast) {
        if (isFirst) {
            return writer.standard(isLast ? Opcodes.READ_RESPONSE_ONLY : Opcodes.READ_RESPONSE_FIRST);
        }
        if (isLast) {
            return writer.standard(Opcodes.READ_RESPONSE_LAST);
        }
        return config.peerIsOurs()
                ? writer.ours(Opcodes.READ_RESPONSE_MIDDLE_AETH)
                : writer.standard(Opcodes.READ_RESPONSE_MIDDLE);
    }

    /**
     * Its memory was revoked meanwhile: what was begun is never ended. That says nothing of what comes behind: the READ may be
     * an old one, which was answered long ago.
     */
    private boolean failRead(ResponderResource resource, long psn) {
        resource.letGo();
        traffic.nakSent(Aeth.NAK_REMOTE_ACCESS);
        if (config.isShared()) {
            due(psn, Aeth.NAK_REMOTE_ACCESS);
        } else {
            readFailedAt = Math.min(readFailedAt, psn);
        }
        return true;
    }
}
