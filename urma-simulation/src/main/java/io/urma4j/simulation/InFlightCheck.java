package io.urma4j.simulation;

import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.util.TreeMap;

/**
 * What one end of a connection has in flight, derived only from the packets that it sends and receives. It checks that
 * no request is sent a window or more behind the oldest unacknowledged one, and none that the peer cannot know. On a
 * connection of RC it also checks that none is sent while the receiver asks to wait.
 *
 * <p>What counts as acknowledged here may be more than the requester knows, never less. On a shared connection the
 * requester also rejects acknowledgements by their count, which is not checked here. And it may have dropped a response
 * that arrived out of order.
 */
final class InFlightCheck {
    private static final int PSN_BITS = 24;

    private final String name;
    private final boolean isShared;
    private final boolean isForeign;
    private final int mtuBytes;
    private final int windowPackets;

    private long unacked;
    private long end; // the next unused PSN
    private long acknowledgedTo; // above unacked while responses below it are missing
    private final TreeMap<Long, Boolean> answers = new TreeMap<>(); // by PSN of a READ or atomic: whether answered
    private long doubtedTo = Long.MIN_VALUE; // a response below it arrived out of order, and may have been dropped
    private long passed; // a lower bound of the requester's own count, from what its window has let it send
    private long heldUntilNanos = Long.MIN_VALUE;

    /**
     * For a new connection.
     *
     * @param isForeign the peer counts as foreign: plain RoCE, with go-back-N
     */
    InFlightCheck(String name, boolean isShared, boolean isForeign, int mtuBytes, int windowPackets, int firstPsn) {
        this.name = name;
        this.isShared = isShared;
        this.isForeign = isForeign;
        this.mtuBytes = mtuBytes;
        this.windowPackets = windowPackets;
        this.unacked = firstPsn;
        this.end = firstPsn;
        this.acknowledgedTo = firstPsn;
        this.passed = firstPsn;
    }

    // ---- what leaves

    void sent(Packet packet, long nowNanos) {
        int opcode = packet.opcode();
        if (isForeign && Opcodes.isOurs(opcode)) {
            throw Violation.of("%s sends %s to a peer that is not urma4j", name, Opcodes.name(opcode));
        }
        if (packet.payloadBytes() > mtuBytes) {
            throw Violation.of(
                    "%s sends %d bytes in a packet, with an MTU of %d", name, packet.payloadBytes(), mtuBytes);
        }
        if (opcode == Opcodes.CNP || Opcodes.isResponse(opcode)) {
            return;
        }
        long psn = near(Bth.psn(packet.bytes()));
        if (Opcodes.operation(opcode) == Opcodes.RESYNC && !isShared) {
            beginAnew(psn);
        }
        check(psn, opcode, nowNanos);
        long behind = psn + (isFetch(opcode) ? answers(packet) : 1);
        if (isFetch(opcode) && !isShared) {
            for (long answer = psn; answer < behind; answer++) {
                answers.putIfAbsent(answer, false);
            }
        }
        end = Math.max(end, behind);
    }

    private void check(long psn, int opcode, long nowNanos) {
        if (nowNanos < heldUntilNanos) {
            throw Violation.of(
                    "%s sends %s, though its receiver has asked to be left alone for another %.3f ms",
                    name, Opcodes.name(opcode), (heldUntilNanos - nowNanos) / 1e6);
        }
        // the request for a lost part of a READ response is not new: the window allowed it before
        boolean isAskedAgain = !isForeign && isFetch(opcode) && psn < end;
        if (!isAskedAgain) {
            passed = Math.max(passed, psn - windowPackets + 1);
        }
        if (psn - unacked >= windowPackets && !isAskedAgain) {
            throw Violation.of(
                    "%s sends %s as packet %d behind the oldest that is not acknowledged, with a window of %d",
                    name, Opcodes.name(opcode), psn - unacked, windowPackets);
        }
    }

    /** The requester gives up all packets in flight: the peer continues at this PSN. */
    private void beginAnew(long psn) {
        answers.clear();
        unacked = psn;
        acknowledgedTo = psn;
        doubtedTo = Long.MIN_VALUE;
        heldUntilNanos = Long.MIN_VALUE;
    }

    private static boolean isFetch(int opcode) {
        return switch (Opcodes.operation(opcode)) {
            case Opcodes.READ_REQUEST, Opcodes.COMPARE_SWAP, Opcodes.FETCH_ADD -> true; // and ours, by the same numbers
            default -> false;
        };
    }

    private long answers(Packet packet) {
        if (Opcodes.operation(packet.opcode()) != Opcodes.READ_REQUEST) {
            return 1;
        }
        long bytes = Reth.lengthBytes(packet.bytes(), packet.at(Header.RETH));
        return Math.max(1, (bytes + mtuBytes - 1) / mtuBytes);
    }

    // ---- what comes

    void arrives(Packet packet, long nowNanos) {
        int opcode = packet.opcode();
        if (Opcodes.has(opcode, Header.ACK_ETH)) {
            long along = near(AckEth.psn(packet.bytes(), packet.at(Header.ACK_ETH)));
            if (along >= unacked && along < end) {
                acknowledged(along + 1);
            }
        }
        if (!Opcodes.isResponse(opcode)) {
            return;
        }
        long psn = near(Bth.psn(packet.bytes()));
        boolean isAcknowledgement = Opcodes.operation(opcode) == Opcodes.ACKNOWLEDGE;
        if (psn < unacked || psn > end || psn == end && !isAcknowledgement) {
            return;
        }
        if (isAcknowledgement) {
            acknowledgement(psn, Aeth.syndrome(packet.bytes(), packet.at(Header.AETH)), nowNanos);
        } else {
            answer(psn, opcode);
        }
    }

    private void acknowledgement(long psn, int syndrome, long nowNanos) {
        Aeth.Kind kind = Aeth.kind(syndrome);
        acknowledged(kind == Aeth.Kind.ACK ? psn + 1 : psn);
        boolean isOldest = psn < end && psn == unacked && doubtedTo <= passed;
        if (kind == Aeth.Kind.RNR_NAK && !isShared && isOldest) {
            heldUntilNanos = nowNanos + RnrTimer.nanos(Aeth.value(syndrome));
        }
    }

    private void answer(long psn, int opcode) {
        boolean isAcknowledging = switch (Opcodes.operation(opcode)) {
            case Opcodes.READ_RESPONSE_MIDDLE, Opcodes.READ_RESPONSE_LAST -> false; // their READ began before
            default -> true;
        };
        if (isAcknowledging) {
            acknowledged(psn);
        }
        if (isShared || answers.containsKey(psn) && (!isForeign || psn == unacked)) {
            doubtedTo = psn > unacked ? Math.max(doubtedTo, psn + 1) : doubtedTo;
            answers.put(psn, true);
            goOn();
        }
    }

    private void acknowledged(long to) {
        acknowledgedTo = to > end ? acknowledgedTo : Math.max(acknowledgedTo, to);
        goOn();
        if (isForeign) {
            acknowledgedTo = unacked; // everything behind a lost response is requested again
        }
    }

    private void goOn() {
        boolean goesOn = true;
        while (goesOn) {
            Boolean hasCome = answers.get(unacked);
            goesOn = hasCome == null ? unacked < acknowledgedTo : hasCome;
            if (goesOn) {
                unacked++;
                heldUntilNanos = Long.MIN_VALUE; // what its receiver was not ready for has been taken
            }
        }
        answers.headMap(unacked).clear();
    }

    private long near(int onWire) {
        int unused = Integer.SIZE - PSN_BITS;
        return unacked + ((onWire - (int) unacked) << unused >> unused);
    }
}
