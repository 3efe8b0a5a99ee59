package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.Placements.Alone;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a connection: executes requests in order, once, and notes what the peer is to be told. {@link
 * ResponseScheduler} tells it (WIRE §4.2). {@link ResponderRecovery} deals with losses, and {@link Placements} with memory
 * that answers later.
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

    private final OutOfOrder kept;
    private final ResponderRecovery recovery;
    private final RepeatedRequests repeated;
    private final PlacingReports reports;

    private long expected;
    private boolean isGapTold;
    private boolean isBroken;

    /** What waits for copies; null until a memory has answered later. */
    private @Nullable Placements placements;

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
        this.kept = new OutOfOrder(config.mtuBytes());
        this.recovery = config.selective() ? new SelectiveResponder(kept, traffic) : new GoBackNResponder(kept);
        this.answers = new ResponseScheduler(config, memory, writer, resources, recovery, traffic);
        this.repeated = new RepeatedRequests(config, resources, recovery, answers, traffic);
        this.reports = new PlacingReports(config.peerIsOurs());
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
                repeated.again(packet, psn, transmission, placedUpTo());
            }
            answers.refuseAgain();
        } else if (psn >= expected && isLeap(packet)) {
            leap(psn, transmission);
        } else if (psn == expected) {
            if (isGapTold && isPlacing()) {
                answers.gapIsFilled(); // it was not told so far
            }
            isGapTold = false;
            inOrder(packet, psn, transmission, nowNanos);
            if (!kept.isEmpty()) {
                goOn(psn, nowNanos);
            }
        } else if (psn < expected) {
            traffic.add(Event.DUPLICATE);
            repeated.again(packet, psn, transmission, placedUpTo());
        } else if (recovery.arrivedEarly(packet, psn, expected, isGapTold)) {
            if (!isPlacing() || !config.selective()) { // else it may be early alone since something is held
                if (!isGapTold) {
                    traffic.add(Event.GAP_SEEN);
                }
                isGapTold = true;
            }
            gap();
        }
        assert invariants() : "expects " + expected + ", acknowledges " + answers.acknowledged();
    }

    // ---- the expected request (HeaderPrediction)

    /** Whether a request with that PSN of the wire is the next one, with no gap before it and nothing kept behind it. */
    boolean isExpected(int psnOnWire) {
        return psnOnWire == Psn.onWire(expected) && !isBroken && !isGapTold && kept.isEmpty();
    }

    /** Executes the expected request. */
    void takeExpected(Packet packet, boolean isDelayed, long nowNanos) {
        answers.arrived(isDelayed);
        inOrder(packet, expected, Bth.transmission(packet.bytes()), nowNanos);
        assert invariants() : "expects " + expected + ", acknowledges " + answers.acknowledged();
    }

    /** Nothing is acknowledged before it is executed, and nothing that is executed is kept. */
    private boolean invariants() {
        return answers.acknowledged() < expected && kept.get(expected - 1) == null;
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
        if (isPlacing()) {
            traffic.add(Event.IGNORED); // it comes again: what it would pass is still being placed
            return;
        }
        incoming.giveUp();
        kept.clear();
        isGapTold = false;
        executed(psn, transmission);
        answers.acknowledge();
    }

    /** What was missing is there: what was kept behind it follows, up to the next that is missing. */
    private void goOn(long arrived, long nowNanos) {
        kept.remove(arrived, expected);
        long before = arrived;
        Packet next = kept.get(expected);
        while (next != null && expected > before) {
            before = expected;
            inOrder(next, before, Bth.NO_TRANSMISSION, nowNanos); // it waited: its time says nothing
            kept.remove(before, expected);
            next = kept.get(expected);
        }
        if (kept.isEmpty()) {
            answers.acknowledge(); // else the requester would think that the late one is lost
        } else if (expected > arrived) {
            gap();
        }
    }

    private void gap() {
        if (isPlacing() && config.selective()) {
            answers.placing(expected); // a NAK would acknowledge what is not placed
        } else {
            answers.gap();
        }
    }

    /** Tells what is to be told, and perhaps no mere acknowledgement; true when there is more. */
    boolean answer(int budget, boolean holdsAcknowledgement, long nowNanos) {
        if (reports.isDue(isPlacing() || answers.isAwaitingFetch(), nowNanos)) {
            answers.placing(expected);
        }
        boolean hasMore = answers.send(placedUpTo(), budget, holdsAcknowledgement, !isPlacing());
        reports.expect(isPlacing() || answers.isAwaitingFetch(), nowNanos);
        return hasMore;
    }

    /** When it reports next that something is being placed; {@code Long.MAX_VALUE} for never. */
    long deadlineNanos() {
        return reports.dueNanos();
    }

    /** What is to be told, of which a request may bring along a mere acknowledgement. */
    ResponseScheduler answers() {
        return answers;
    }

    void giveUp() {
        incoming.giveUp();
        resources.clear();
        if (placements != null) {
            placements.abandon();
        }
    }

    // ---- in order

    private void inOrder(Packet packet, long psn, int transmission, long nowNanos) {
        assert psn == expected : "executes " + psn + " in place of " + expected;
        if (placements != null && placements.isActive()) {
            expected += placements.follows(packet, psn, transmission, nowNanos) ? 1 : 0;
            return;
        }
        switch (Opcodes.operation(packet.opcode())) {
            case Opcodes.READ_REQUEST -> read(packet, psn, transmission, nowNanos);
            case Opcodes.COMPARE_SWAP, Opcodes.FETCH_ADD -> atomic(packet, psn, transmission, nowNanos);
            case Opcodes.RESYNC -> {
                if (incoming.endInstead(Bth.beginsMessage(packet.bytes()), Bth.isSolicited(packet.bytes()))) {
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
        int syndrome = incoming.take(packet, psn, nowNanos);
        if (syndrome >= Incoming.PLACING) {
            expected += placements().begins(packet, psn, transmission, syndrome) ? 1 : 0;
        } else {
            transferred(packet, psn, transmission, syndrome, nowNanos);
        }
    }

    private void transferred(Packet packet, long psn, int transmission, int syndrome, long nowNanos) {
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
        } else if (Bth.asksForAcknowledgement(packet.bytes())) {
            answers.acknowledge();
        }
    }

    private void executed(long psn, int transmission) {
        expected = psn + 1;
        answers.executed(psn, expected, transmission);
    }

    private void read(Packet packet, long psn, int transmission, long nowNanos) {
        NativeMemory bytes = packet.bytes();
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
            ResponderResource resource = resources.add();
            resource.beginRead(key, va, length, psn, packets, answers.msn(), transmission);
            if (memory.answersLater(key)) {
                resource.isFetched(memory, config);
            }
            expected = psn + packets;
            answers.executedRead(psn, expected);
        }
    }

    private void atomic(Packet packet, long psn, int transmission, long nowNanos) {
        NativeMemory bytes = packet.bytes();
        int at = packet.at(Header.ATOMIC_ETH);
        long va = AtomicEth.va(bytes, at);
        int key = AtomicEth.remoteKey(bytes, at);
        int size = ReceivedRequest.atomicBytes(packet);
        if (!incoming.mayBegin() || resources.isNone() || !ReceivedRequest.isAtomicSound(packet)) {
            refuseAnswered(psn, 1, Aeth.NAK_INVALID_REQUEST, nowNanos);
        } else if (!resources.hasRoom()) {
            traffic.add(Event.IGNORED);
        } else if (!memory.isAllowed(key, va, size, Memory.ATOMIC, config.number())) {
            refuseAnswered(psn, 1, Aeth.NAK_REMOTE_ACCESS, nowNanos);
        } else {
            int opcode = ReceivedRequest.atomicOpcode(packet);
            long operand = AtomicEth.operand(bytes, at);
            long compare = AtomicEth.compare(bytes, at);
            long copy = memory.beginAtomic(opcode, key, va, size, operand, compare, config.number());
            if (copy == Memory.AT_ONCE) {
                long original = memory.atomic(opcode, key, va, size, operand, compare, config.number());
                atomicExecuted(psn, original, transmission);
            } else if (copy == Memory.REFUSED) {
                refuseAnswered(psn, 1, Aeth.NAK_REMOTE_ACCESS, nowNanos);
            } else if (copy == Memory.BUSY) {
                placements().hold(packet, psn, true);
            } else {
                placements().begin(Alone.ATOMIC, copy, transmission);
            }
        }
    }

    private void atomicExecuted(long psn, long original, int transmission) {
        answers.succeed();
        resources.add().beginAtomic(original, psn, answers.msn(), transmission);
        executed(psn, transmission);
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
        if (placements != null) {
            placements.abandon();
        }
        answers.refuse(psn, syndrome);
    }

    // ---- memory that answers later

    boolean isPlacing() {
        return placements != null && placements.isActive();
    }

    /** Everything before that PSN is executed and placed. */
    private long placedUpTo() {
        return placements == null ? expected : placements.placedUpTo(expected);
    }

    private Placements placements() {
        if (placements == null) {
            placements = new Placements(config, memory, incoming, kept, answers, traffic);
        }
        return placements;
    }

    /** Looks at the copies: answers what is placed, and executes what waited for it. */
    void lookAtCopies(long nowNanos) {
        Placements late = placements;
        if (late == null || !late.isActive()) {
            return;
        }
        int syndrome = late.answerPlaced();
        while (syndrome != Incoming.FINE && !isBroken) {
            refusePlaced(late, syndrome, nowNanos);
            syndrome = late.answerPlaced();
        }
        boolean hasAloneEnded = late.hasAloneEnded() && endAlone(late, nowNanos);
        boolean goesOn = late.goesOn() || hasAloneEnded && !kept.isEmpty(); // what is behind it is kept
        if (goesOn && !isBroken) {
            isGapTold = false;
            answers.gapIsFilled();
            goOn(expected - 1, nowNanos);
            if (!late.isActive() && !config.selective()) {
                kept.clear(); // the peer retransmits whatever is left
            }
        }
        assert invariants() : "expects " + expected + ", acknowledges " + answers.acknowledged();
    }

    /** The oldest WRITE that is not placed never will be. */
    private void refusePlaced(Placements late, int syndrome, long nowNanos) {
        if (config.isShared()) {
            late.refuseMessage(syndrome);
        } else {
            expected = placedUpTo(); // so that nothing behind it is ever acknowledged
            kept.clear();
            refuseAll(expected, syndrome);
        }
        traffic.nakSent(syndrome);
        connection.refused(syndrome, nowNanos);
    }

    /** The request that is expected has had its copy. False if it waits for another. */
    private boolean endAlone(Placements late, long nowNanos) {
        long psn = expected;
        answers.arrived(true); // its time says nothing about the network
        if (late.alone() == Alone.ATOMIC) {
            endAtomic(late, psn, nowNanos);
        } else {
            Packet packet = requireNonNull(kept.get(psn));
            int syndrome = late.finish(packet, psn, nowNanos);
            if (syndrome == Incoming.PLACING) {
                return false;
            }
            transferred(packet, psn, late.aloneTransmission(), syndrome, nowNanos);
        }
        kept.remove(psn, expected);
        return true;
    }

    private void endAtomic(Placements late, long psn, long nowNanos) {
        int syndrome = late.aloneSyndrome();
        long original = late.original();
        late.removeAlone();
        if (syndrome == Incoming.FINE) {
            resources.makeRoom();
            atomicExecuted(psn, original, late.aloneTransmission());
        } else {
            refuseAnswered(psn, 1, syndrome, nowNanos);
        }
    }
}
