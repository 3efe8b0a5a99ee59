package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * What a responder has to tell, in the order of the requests: answers of READs and atomics, refusals, and at last how far
 * it is. Nothing is queued: what is due is seen from the state, so that a port without room or a peer that asks again and
 * again takes no memory, and several acknowledgements become one.
 */
final class ResponseScheduler {
    private static final int MSN_MASK = 0xFF_FFFF;
    private static final long NONE = Verdicts.NONE;

    /** An acknowledgement names no PSN that is further behind: the peer might take its 24 bits for those of one ahead. */
    private static final long FAR = 1L << 22;

    private final ConnectionConfig config;
    private final Memory memory;
    private final PacketWriter writer;
    private final ResponderResources resources;
    private final ResponderRecovery recovery;
    private final Traffic traffic;
    private final PayloadCopies payloadCopies = new PayloadCopies();

    /** How many messages have succeeded. */
    private int msn;

    /** The PSN that an acknowledgement names. */
    private long acknowledged;

    /** On a connection of one queue: that PSN is far behind, since only READs were executed after it. */
    private boolean isFarBehind;

    /** Which transmission of that PSN causes the acknowledgement, unless another packet does. */
    private int acknowledgedTransmission = Bth.NO_TRANSMISSION;

    /** The last request has waited in this host: the time of its response says nothing about the network. */
    private boolean isDelayed;

    private boolean isAcknowledgementDue;
    private boolean isGapDue;

    // of memory that answers later
    private long placingUpTo = NONE;
    private boolean isAwaitingFetch;

    // a refusal on a connection of one queue: RNR, or an error
    private boolean isRefusalDue;
    private int refusal;
    private long refusedPsn;

    private final @Nullable Verdicts verdicts; // on shared connections

    /** On a connection of one queue: where a READ could not be answered any more; {@link #NONE} when that was told. */
    private long readFailedAt = NONE;

    private int readFailure;

    ResponseScheduler(
            ConnectionConfig config,
            Memory memory,
            PacketWriter writer,
            ResponderResources resources,
            ResponderRecovery recovery,
            Traffic traffic) {
        this.config = config;
        this.memory = memory;
        this.writer = writer;
        this.resources = resources;
        this.recovery = recovery;
        this.traffic = traffic;
        this.acknowledged = config.firstReceivePsn() - 1L;
        this.verdicts = config.isShared() ? new Verdicts() : null;
    }

    // ---- what is due

    int msn() {
        return msn;
    }

    /** A request has arrived, which has waited in this host or not. */
    void arrived(boolean hasWaited) {
        isDelayed = hasWaited;
    }

    boolean isDelayed() {
        return isDelayed;
    }

    void succeed() {
        msn = msn + 1 & MSN_MASK;
    }

    /** Packets were executed; an acknowledgement names them from now on. */
    void executed(long psn, long expected, int transmission) {
        acknowledged = expected - 1;
        isFarBehind = false;
        acknowledgedTransmission = transmission;
        forget(psn, expected);
    }

    /** The same for a READ. Linux does not name it: its answer acknowledges it (WIRE §4.2). */
    void executedRead(long psn, long expected) {
        if (config.isShared()) {
            acknowledged = expected - 1;
            acknowledgedTransmission = Bth.NO_TRANSMISSION;
        }
        isFarBehind = expected - acknowledged > FAR;
        isAcknowledgementDue &= !isFarBehind;
        forget(psn, expected);
    }

    private void forget(long psn, long expected) {
        if (verdicts != null) {
            verdicts.clear(psn, expected);
        }
        recovery.executed(psn, expected);
        isRefusalDue = false; // for a receiver that was not ready before
    }

    /** What is told from now on was caused by that packet, not by the one of {@link #acknowledged}, unless they are the same. */
    void causedBy(long psn, int transmission) {
        acknowledgedTransmission = psn == acknowledged ? transmission : Bth.NO_TRANSMISSION;
    }

    /** A packet has arrived that had arrived before. */
    void cameAgain(long psn) {
        recovery.arrivedTwice(psn, acknowledged);
    }

    /** The answers of READs acknowledge what is far behind. */
    void acknowledge() {
        isAcknowledgementDue |= !isFarBehind;
    }

    /** Whoever asks for what is not remembered learns on a shared connection how far the responder is. */
    void acknowledgeShared() {
        isAcknowledgementDue |= config.isShared();
    }

    /** What is expected is missing. */
    void gap() {
        isGapDue = true;
    }

    /** What was missing is there, or was held. */
    void gapIsFilled() {
        isGapDue = false;
    }

    /** More has arrived than is placed: everything before that PSN. */
    void placing(long expected) {
        placingUpTo = expected;
    }

    /** Whether a response waits for bytes of memory that answers later. */
    boolean isAwaitingFetch() {
        return isAwaitingFetch;
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

    /** A packet came that is left of a refused message: it has the verdict of that message when it comes again. */
    void discarded(long psn, int syndrome) {
        if (verdicts != null) {
            verdicts.discarded(psn, syndrome);
            isAcknowledgementDue = true;
        }
    }

    /** A packet of a shared connection has arrived again: refusals from there on may have been lost. */
    void judgeAgain(long psn, long expected) {
        if (verdicts != null && verdicts.cameAgain(psn, expected)) {
            isAcknowledgementDue = true;
        }
    }

    private void due(long psn, int syndrome) {
        if (verdicts != null) {
            verdicts.refused(psn, syndrome);
            isAcknowledgementDue = true;
        }
    }

    // ---- telling it

    /**
     * Sends what is due; true when there is more, for the port had no room or the budget was used up.
     *
     * @param expected everything before is executed and placed
     * @param holds a mere acknowledgement is left for the next call
     * @param mayReportGap a NAK may name what is expected; if not, it is held, or what is before it is being placed
     */
    boolean send(long expected, int budget, boolean holds, boolean mayReportGap) {
        isAwaitingFetch = false;
        for (int sent = 0; sent < budget; sent++) {
            ResponderResource resource = resources.wanted();
            long judged = verdicts == null ? NONE : verdicts.next(expected);
            boolean isSent;
            boolean isReadFirst = resource != null && resource.nextPsn() < judged;
            if (placingUpTo != NONE && (judged == NONE || isReadFirst)) {
                isSent = tellPlacing(resource);
                placingUpTo = isSent ? NONE : placingUpTo;
            } else if (resource != null && isReadFirst) {
                if (resource.isLate() && !isFetched(resource)) {
                    isAwaitingFetch = resource.isWanted();
                    if (isAwaitingFetch) {
                        return false; // it is woken when the bytes are there
                    }
                    continue;
                }
                isSent = resource.isRead ? sendRead(resource) : sendAtomic(resource);
                sent += resource.isRead ? config.packetsPerMtu() - 1 : 0;
            } else if (judged != NONE) {
                isSent = sendVerdict(judged);
            } else if (readFailedAt != NONE) {
                isSent = tell(readFailedAt, readFailure);
                readFailedAt = isSent ? NONE : readFailedAt;
            } else if (isRefusalDue) {
                isSent = tell(refusedPsn, refusal);
                isRefusalDue = !isSent;
                isAcknowledgementDue &= !isSent;
            } else if (isGapDue && mayReportGap) {
                isSent = recovery.reportGap(writer, expected, msn, isDelayed);
                isGapDue = !isSent;
                isAcknowledgementDue &= !isSent;
            } else if (isAcknowledgementDue && !holds) {
                isSent = tellAcknowledged();
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
                && !recovery.isArrivedTwiceDue()
                && !isGapDue
                && placingUpTo == NONE
                && !isRefusalDue
                && (verdicts == null || verdicts.isNoneDue())
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

    private boolean sendVerdict(long psn) {
        Verdicts all = requireNonNull(verdicts); // only a shared connection has verdicts
        if (!tell(psn, all.syndrome(psn))) {
            return false;
        }
        all.sent(psn);
        return true;
    }

    private boolean tellAcknowledged() {
        return recovery.isArrivedTwiceDue()
                ? recovery.reportArrivedTwice(writer, acknowledged, acknowledgedTransmission, msn, isDelayed)
                : writer.acknowledge(acknowledged, Aeth.ACK, msn, acknowledgedTransmission, isDelayed);
    }

    private boolean tell(long psn, int syndrome) {
        return writer.acknowledge(psn, syndrome, msn, Bth.NO_TRANSMISSION, isDelayed);
    }

    /** A READ that waits for its bytes is not acknowledged, and nothing behind it. */
    private boolean tellPlacing(@Nullable ResponderResource waiting) {
        if (waiting == null) {
            return isFarBehind || recovery.reportPlacing(writer, acknowledged, placingUpTo, msn);
        }
        return writer.acknowledge(
                waiting.firstPsn - 1, Aeth.ACK_PLACING, waiting.msn - 1 & MSN_MASK, Bth.NO_TRANSMISSION, true);
    }

    /** Whether the bytes of the next packet have been fetched; if they cannot be, the READ has failed. */
    private boolean isFetched(ResponderResource resource) {
        if (resource.lengthBytes == 0) {
            return true;
        }
        resources.fetches(resource);
        long psn = resource.nextPsn();
        CopyState state = resource.fetches().ask(resource, (psn - resource.firstPsn) * config.mtuBytes());
        if (state == CopyState.REFUSED || state == CopyState.LOST) {
            failRead(resource, psn, state.syndrome());
        }
        return state == CopyState.DONE;
    }

    private boolean sendAtomic(ResponderResource resource) {
        int opcode = writer.standard(Opcodes.ATOMIC_ACKNOWLEDGE);
        Packet packet = writer.beginAnswer(opcode, resource.firstPsn, 0, resource.transmission, isDelayed);
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
        int opcode = readOpcode(isFirst, isLast);
        Packet packet = writer.beginAnswer(opcode, psn, length, resource.transmission, isDelayed);
        if (packet == null) {
            return false;
        }
        if (Opcodes.has(packet.opcode(), Header.AETH)) {
            Aeth.put(packet.bytes(), packet.at(Header.AETH), Aeth.ACK, resource.msn);
        }
        payloadCopies.prepare(packet, resource.isRepeated());
        if (length > 0 && !load(resource, from, packet, length)) {
            failRead(resource, psn, Aeth.NAK_REMOTE_ACCESS);
            return true;
        }
        writer.end(length);
        resource.sent();
        return true;
    }

    private boolean load(ResponderResource resource, long from, Packet packet, int length) {
        return resource.isLate()
                ? resource.fetches().load(from, packet, length)
                : memory.read(resource.remoteKey, resource.va + from, packet, length, config.number());
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
    private void failRead(ResponderResource resource, long psn, int syndrome) {
        resource.letGo();
        traffic.nakSent(syndrome);
        if (config.isShared()) {
            due(psn, syndrome);
        } else if (psn < readFailedAt) {
            readFailedAt = psn;
            readFailure = syndrome;
        }
    }
}
