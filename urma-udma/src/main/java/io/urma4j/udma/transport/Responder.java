package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.AtomicKind;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.lang.foreign.MemorySegment;

/**
 * The receiving half of a connection: executes requests in order, once, and notes what the peer is to be told. {@link
 * ResponseScheduler} tells it (WIRE §4.2). {@link ResponderRecovery} deals with losses.
 *
 * <p>Refusals differ. On a connection of one queue an error ends it: no further request is executed, and each one draws the
 * same refusal again. On a shared one the PSNs go on, the message alone is refused, and the verdict is remembered.
 */
final class Responder {
    private final Connection connection;
    private final ConnectionConfig config;
    private final Memory memory;
    private final Traffic traffic;
    private final Incoming incoming;
    private final ResponderResources resources;
    private final ResponseScheduler answers;

    private final ResponderRecovery recovery;

    private long expected;
    private boolean isGapTold;
    private boolean isBroken;

    Responder(
            Connection connection,
            ConnectionConfig config,
            Memory memory,
            Receivers receivers,
            PacketWriter writer,
            Traffic traffic) {
        this.connection = connection;
        this.config = config;
        this.memory = memory;
        this.traffic = traffic;
        this.incoming = new Incoming(config, memory, receivers);
        this.resources = new ResponderResources(config.maxReadsIn());
        this.recovery =
                config.selective() ? new SelectiveResponder(traffic, config.mtuBytes()) : new GoBackNResponder();
        this.answers = new ResponseScheduler(config, memory, writer, resources, recovery, traffic);
        this.expected = config.firstReceivePsn();
    }

    long expected() {
        return expected;
    }

    /** @param isDelayed the request may have waited in this host */
    void receive(Packet packet, boolean isDelayed, long nowNanos) {
        answers.arrived(isDelayed);
        long psn = Psn.near(expected, Bth.psn(packet.bytes()));
        int transmission = Bth.transmission(packet.bytes());
        if (isOfNoWindow(psn)) {
            traffic.add(Event.IGNORED);
        } else if (isBroken) {
            if (psn < expected) {
                again(packet, psn, transmission);
            }
            answers.refuseAgain();
        } else if (psn >= expected && isLeap(packet)) {
            leap(psn, transmission);
        } else if (psn == expected) {
            isGapTold = false;
            inOrder(packet, psn, transmission, nowNanos);
            if (!recovery.isEmpty()) {
                goOn(psn, nowNanos);
            }
        } else if (psn < expected) {
            traffic.add(Event.DUPLICATE);
            again(packet, psn, transmission);
        } else if (recovery.arrivedEarly(packet, psn, expected, isGapTold)) {
            if (!isGapTold) {
                traffic.add(Event.GAP_SEEN);
            }
            isGapTold = true;
            answers.gap();
        }
        assert invariants() : "expects " + expected + ", acknowledges " + answers.acknowledged();
    }

    // ---- the expected request (HeaderPrediction)

    /** Whether a request with that PSN of the wire is the next one, with no gap before it and nothing kept behind it. */
    boolean isExpected(int psnOnWire) {
        return psnOnWire == Psn.onWire(expected) && !isBroken && !isGapTold && recovery.isEmpty();
    }

    /** Executes the expected request. */
    void takeExpected(Packet packet, boolean isDelayed, long nowNanos) {
        answers.arrived(isDelayed);
        inOrder(packet, expected, Bth.transmission(packet.bytes()), nowNanos);
        assert invariants() : "expects " + expected + ", acknowledges " + answers.acknowledged();
    }

    /** Nothing is acknowledged before it is executed, and nothing that is executed is kept. */
    private boolean invariants() {
        return answers.acknowledged() < expected && recovery.get(expected - 1) == null;
    }

    /**
     * Whether a requester of urma4j cannot be there now: it has no more under way than fits a window, and the packet that is
     * expected lies within. So this one is from long ago, and its acknowledgement has come; or somebody else's. An answer
     * would tell the requester nothing, and a NAK would have it send again what has arrived.
     */
    private boolean isOfNoWindow(long psn) {
        return config.peerIsOurs() && Math.abs(psn - expected) > ConnectionConfig.MAX_WINDOW_PACKETS;
    }

    /**
     * Whether the requester of a connection of one queue begins anew: what it gave up has PSNs before this one, which never
     * come, or come late. From others than urma4j no such word comes.
     */
    private boolean isLeap(Packet packet) {
        return !config.isShared() && Opcodes.operation(packet.opcode()) == Opcodes.RESYNC;
    }

    private void leap(long psn, int transmission) {
        incoming.giveUp();
        recovery.clear();
        isGapTold = false;
        executed(psn, transmission);
        answers.acknowledge();
    }

    /** What was missing is there: what was kept behind it follows, up to the next that is missing. */
    private void goOn(long arrived, long nowNanos) {
        recovery.remove(arrived, expected);
        long before = arrived;
        Packet next = recovery.get(expected);
        while (next != null && expected > before) {
            before = expected;
            inOrder(next, before, Bth.NO_TRANSMISSION, nowNanos); // it waited: its time says nothing
            recovery.remove(before, expected);
            next = recovery.get(expected);
        }
        if (recovery.isEmpty()) {
            answers.acknowledge(); // else the requester would think that the late one is lost
        } else if (expected > arrived) {
            answers.gap();
        }
    }

    /** Tells what is to be told, and perhaps no mere acknowledgement; true when there is more. */
    boolean answer(int budget, boolean holdsAcknowledgement) {
        return answers.send(expected, budget, holdsAcknowledgement);
    }

    /** Whether an acknowledgement is to be told. */
    boolean owesAcknowledgement() {
        return answers.isAcknowledgementDue();
    }

    /** What is to be told, of which a request may bring along a mere acknowledgement. */
    ResponseScheduler answers() {
        return answers;
    }

    void giveUp() {
        incoming.giveUp();
        resources.clear();
    }

    // ---- in order

    private void inOrder(Packet packet, long psn, int transmission, long nowNanos) {
        assert psn == expected : "executes " + psn + " in place of " + expected;
        switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_REQUEST -> read(packet, psn, transmission, nowNanos);
            case Opcodes.COMPARE_SWAP -> atomic(packet, psn, atomicOpcode(packet), transmission, nowNanos);
            case Opcodes.FETCH_ADD -> atomic(packet, psn, WorkOpcode.FADD, transmission, nowNanos);
            case Opcodes.RESYNC -> {
                if (incoming.endInstead(Bth.isSolicited(packet.bytes()))) {
                    answers.succeed(); // as the message would have, so that counts agree whichever of the two came
                }
                executed(psn, transmission);
                if (incoming.hasDiscarded()) {
                    answers.discarded(psn, incoming.refusal());
                } else {
                    answers.acknowledge();
                }
            }
            case Opcodes.FLUSH, Opcodes.ATOMIC_WRITE -> refuse(psn, 1, Aeth.NAK_INVALID_REQUEST, nowNanos);
            default -> transfer(packet, psn, transmission, nowNanos);
        }
    }

    private void transfer(Packet packet, long psn, int transmission, long nowNanos) {
        boolean asks = Bth.asksForAcknowledgement(packet.bytes());
        int syndrome = incoming.take(packet, psn, nowNanos);
        if (syndrome != Incoming.FINE) {
            refuse(psn, 1, syndrome, nowNanos);
            return;
        }
        if (incoming.hasEnded()) {
            answers.succeed();
        }
        executed(psn, transmission);
        if (incoming.hasDiscarded()) {
            answers.discarded(psn, incoming.refusal());
        } else if (asks) {
            answers.acknowledge();
        }
    }

    private void executed(long psn, int transmission) {
        expected = psn + 1;
        answers.executed(psn, expected, transmission);
    }

    private void read(Packet packet, long psn, int transmission, long nowNanos) {
        MemorySegment bytes = packet.bytes();
        int at = packet.at(Header.RETH);
        long va = Reth.va(bytes, at);
        int key = Reth.remoteKey(bytes, at);
        long length = Reth.lengthBytes(bytes, at);
        int packets = Segmenter.packets(length, config.mtuBytes());
        int mostPackets = config.isShared() ? ConnectionConfig.MAX_WINDOW_PACKETS / 2 : 1 << 23;
        if (!incoming.mayBegin() || resources.isNone() || packets > mostPackets) {
            refuseAnswered(psn, Math.min(packets, mostPackets), Aeth.NAK_INVALID_REQUEST, nowNanos);
        } else if (!resources.hasRoom()) {
            traffic.add(Event.IGNORED); // more than was promised: it comes again
        } else if (length > 0 && !memory.isAllowed(key, va, length, Memory.READ, config.number())) {
            refuseAnswered(psn, packets, Aeth.NAK_REMOTE_ACCESS, nowNanos);
        } else {
            answers.succeed();
            resources.add().beginRead(key, va, length, psn, packets, answers.msn(), transmission);
            expected = psn + packets;
            answers.executedRead(psn, expected);
        }
    }

    private static int atomicOpcode(Packet packet) {
        boolean isOurs = Opcodes.isOurs(packet.opcode());
        return isOurs ? AtomicKind.opcode(packet.bytes(), packet.at(Header.ATOMIC_KIND)) : WorkOpcode.CAS;
    }

    private void atomic(Packet packet, long psn, int opcode, int transmission, long nowNanos) {
        MemorySegment bytes = packet.bytes();
        int at = packet.at(Header.ATOMIC_ETH);
        long va = AtomicEth.va(bytes, at);
        int key = AtomicEth.remoteKey(bytes, at);
        int size = Opcodes.isOurs(packet.opcode())
                ? AtomicKind.sizeBytes(bytes, packet.at(Header.ATOMIC_KIND))
                : Long.BYTES;
        boolean isSound =
                WorkOpcode.isAtomic(opcode) && (size == Long.BYTES || size == Integer.BYTES) && (va & (size - 1)) == 0;
        if (!incoming.mayBegin() || resources.isNone() || !isSound) {
            refuseAnswered(psn, 1, Aeth.NAK_INVALID_REQUEST, nowNanos);
        } else if (!resources.hasRoom()) {
            traffic.add(Event.IGNORED);
        } else if (!memory.isAllowed(key, va, size, Memory.ATOMIC, config.number())) {
            refuseAnswered(psn, 1, Aeth.NAK_REMOTE_ACCESS, nowNanos);
        } else {
            answers.succeed();
            long original = memory.atomic(
                    opcode, key, va, size, AtomicEth.operand(bytes, at), AtomicEth.compare(bytes, at), config.number());
            resources.add().beginAtomic(original, psn, answers.msn(), transmission);
            executed(psn, transmission);
        }
    }

    /** A READ or an atomic. On shared connections it counts all the same: its refusal is an answer, and cannot be missed. */
    private void refuseAnswered(long psn, int packets, int syndrome, long nowNanos) {
        if (config.isShared()) {
            answers.succeed();
        }
        refuse(psn, packets, syndrome, nowNanos);
    }

    /** @param packets PSNs that the message has, as far as it has come */
    private void refuse(long psn, int packets, int syndrome, long nowNanos) {
        boolean isNotReady = Aeth.kind(syndrome) == Aeth.Kind.RNR_NAK;
        if (config.isShared()) {
            expected = psn + packets;
            answers.judge(psn, expected, syndrome);
        } else if (isNotReady) {
            answers.refuse(psn, syndrome);
        } else {
            refuseAll(psn, syndrome);
        }
        if (isNotReady) {
            traffic.add(Event.RNR_SENT);
        } else {
            traffic.nakSent(syndrome);
            connection.refused(syndrome, nowNanos);
        }
    }

    private void refuseAll(long psn, int syndrome) {
        isBroken = true;
        incoming.giveUp();
        answers.refuse(psn, syndrome);
    }

    // ---- what has come before

    private void again(Packet packet, long psn, int transmission) {
        answers.causedBy(psn, transmission);
        switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_REQUEST -> readAgain(packet, psn, transmission);
            case Opcodes.COMPARE_SWAP, Opcodes.FETCH_ADD -> atomicAgain(psn, transmission);
            default -> {
                answers.cameAgain(psn);
                answers.acknowledge();
            }
        }
        answers.judgeAgain(psn, expected);
    }

    /** From memory once more: the same range, or what is left of it (WIRE §4.2). */
    private void readAgain(Packet packet, long psn, int transmission) {
        ResponderResource resource = resources.find(psn);
        MemorySegment bytes = packet.bytes();
        int at = packet.at(Header.RETH);
        long length = Reth.lengthBytes(bytes, at);
        if (resource == null || !resource.isRead || Reth.remoteKey(bytes, at) != resource.remoteKey) {
            answers.acknowledgeShared();
            return;
        }
        long from = (psn - resource.firstPsn) * config.mtuBytes();
        if (Reth.va(bytes, at) != resource.va + from || length > resource.lengthBytes - from) {
            traffic.add(Event.IGNORED);
            return;
        }
        long end = psn + Segmenter.packets(length, config.mtuBytes());
        resource.transmission = psn == resource.firstPsn ? transmission : Bth.NO_TRANSMISSION;
        recovery.wantAgain(resources, resource, psn, end, from + length);
    }

    private void atomicAgain(long psn, int transmission) {
        ResponderResource resource = resources.find(psn);
        if (resource != null && !resource.isRead) {
            resource.transmission = transmission;
            resources.want(resource, psn, psn + 1, 0);
        } else {
            answers.acknowledgeShared();
        }
    }
}
