package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Packet;

/**
 * The requests of a peer that wait for copies of memory that answers later. No acknowledgement names any of them before it is
 * placed, with all that came before it.
 *
 * <pre>
 *             WRITEs, being copied     held: the first request that is no WRITE, and all behind it
 *   placed  │                        │
 *                                 expected
 * </pre>
 *
 * <p>WRITEs run ahead: each begins its copy when it arrives. Any other request is held as a packet, in {@link
 * OutOfOrder}, until every WRITE before it is placed. So what reads, counts, notifies or revokes comes after them by
 * construction. An atomic, a packet of a SEND, and the end of a WRITE with a record or a word have a copy that is alone:
 * everything behind it is held.
 */
final class Placements {
    /** What has a copy that is alone. */
    enum Alone {
        NONE,
        /** A packet of a SEND, or the last one of a WRITE with a record or a word. The packet is held. */
        TRANSFER,
        ATOMIC
    }

    private final ConnectionConfig config;
    private final Memory memory;
    private final Incoming incoming;
    private final OutOfOrder kept;
    private final ResponseScheduler answers;
    private final Traffic traffic;
    private final PendingWrites writes;

    private Alone alone = Alone.NONE;
    private long aloneCopy;
    private int aloneTransmission;

    /** The request that is expected is held. */
    private boolean isHolding;

    /** It is held because the memory was busy, or too many WRITEs are being copied. */
    private boolean isCrowded;

    /** A WRITE was refused that ends the connection, once those before it are placed. */
    private boolean isClosed;

    Placements(
            ConnectionConfig config,
            Memory memory,
            Incoming incoming,
            OutOfOrder kept,
            ResponseScheduler answers,
            Traffic traffic) {
        this.config = config;
        this.memory = memory;
        this.incoming = incoming;
        this.kept = kept;
        this.answers = answers;
        this.traffic = traffic;
        this.writes = new PendingWrites(memory);
    }

    /** Whether any request waits. */
    boolean isActive() {
        return !writes.isEmpty() || alone != Alone.NONE || isHolding;
    }

    /** The oldest WRITE that is not placed; the expected PSN if there is none. */
    long placedUpTo(long expected) {
        return writes.isEmpty() ? expected : writes.psn();
    }

    // ---- the expected request

    /** The expected request is held; if there is no room, it counts as lost. */
    void hold(Packet packet, long psn, boolean isBusy) {
        if (kept.hold(packet, psn)) {
            isHolding = true;
            isCrowded = isBusy || writes.isFull();
        } else {
            traffic.add(Event.IGNORED);
        }
    }

    /**
     * The memory of the expected packet answers later, or is busy, and no other request waits.
     *
     * @return whether the packet was executed, but for its copy
     */
    boolean begins(Packet packet, long psn, int transmission, int outcome) {
        if (outcome == Incoming.BUSY) {
            hold(packet, psn, true);
            return false;
        }
        if (!incoming.isEnding()) {
            writes.add(packet, psn, transmission, incoming.copy(), incoming.hasEnded());
            return true;
        }
        if (kept.hold(packet, psn)) {
            begin(Alone.TRANSFER, incoming.copy(), transmission);
        } else {
            incoming.postpone();
            memory.release(incoming.copy());
            traffic.add(Event.IGNORED);
        }
        return false;
    }

    /**
     * The expected request arrives while others wait: a WRITE runs ahead, anything else is held.
     *
     * @return whether it was executed, but for its copy
     */
    boolean follows(Packet packet, long psn, int transmission, long nowNanos) {
        boolean mustWait = alone != Alone.NONE || isHolding || isClosed || writes.isFull();
        if (mustWait || !ReceivedRequest.isPlainWrite(packet.opcode())) {
            hold(packet, psn, false);
            return false;
        }
        int syndrome = incoming.take(packet, psn, nowNanos);
        if (syndrome == Incoming.BUSY) {
            hold(packet, psn, true);
            return false;
        }
        boolean isCopied = syndrome == Incoming.PLACING;
        writes.add(packet, psn, transmission, isCopied ? incoming.copy() : 0, incoming.hasEnded());
        if (incoming.hasDiscarded()) {
            writes.discardLast(incoming.refusal());
        } else if (syndrome != Incoming.FINE && !isCopied) {
            writes.refuseLast(syndrome);
            isClosed = !config.isShared();
        }
        return true;
    }

    // ---- WRITEs

    /**
     * Answers the WRITEs that are placed by now.
     *
     * @return the syndrome that refuses the one at {@link #placedUpTo}; {@link Incoming#FINE} for none
     */
    int answerPlaced() {
        while (writes.hasEnded()) {
            answers.arrived(true); // its time says nothing about the network
            int syndrome = writes.syndrome();
            if (syndrome != Incoming.FINE && !writes.isDiscarded()) {
                return syndrome;
            }
            answer(writes.psn(), syndrome);
            writes.removeFirst();
        }
        return Incoming.FINE;
    }

    private void answer(long psn, int refusal) {
        if (writes.isSuccess()) {
            answers.succeed();
        }
        answers.executed(psn, psn + 1, writes.transmission());
        if (writes.isDiscarded()) {
            answers.discarded(psn, refusal);
        } else if (writes.asksForAcknowledgement()) {
            answers.acknowledge();
        }
    }

    /** The oldest WRITE is refused on a shared connection: its message alone. */
    void refuseMessage(int syndrome) {
        long psn = writes.psn();
        if (writes.discardRest(syndrome)) {
            incoming.refuseRest(syndrome);
        }
        writes.removeFirst();
        answers.judge(psn, psn + 1, syndrome);
    }

    // ---- the copy that is alone

    void begin(Alone what, long copy, int transmission) {
        assert writes.isEmpty() && alone == Alone.NONE : what + " is not alone";
        alone = what;
        aloneCopy = copy;
        aloneTransmission = transmission;
    }

    Alone alone() {
        return alone;
    }

    boolean hasAloneEnded() {
        return alone != Alone.NONE && memory.state(aloneCopy) != CopyState.RUNNING;
    }

    int aloneSyndrome() {
        return memory.state(aloneCopy).syndrome();
    }

    /**
     * Ends the transfer whose copy has ended.
     *
     * @return its syndrome, or {@link Incoming#PLACING} if it waits for more: a SEND_INVALIDATE, for copies by the keys that it has
     *     revoked
     */
    int finish(Packet packet, long psn, long nowNanos) {
        int copied = aloneSyndrome();
        removeAlone();
        int syndrome = incoming.finish(packet, psn, copied, nowNanos);
        if (syndrome == Incoming.PLACING) {
            begin(Alone.TRANSFER, incoming.copy(), aloneTransmission);
        }
        return syndrome;
    }

    /** The value before the atomic. */
    long original() {
        return memory.original(aloneCopy);
    }

    int aloneTransmission() {
        return aloneTransmission;
    }

    void removeAlone() {
        if (alone != Alone.NONE) {
            alone = Alone.NONE;
            memory.release(aloneCopy);
        }
    }

    // ---- going on

    /** Whether the request that is held may be executed now, or tried once more; then it is held no more. */
    boolean goesOn() {
        boolean isPossible = writes.isEmpty() || isCrowded && !writes.isFull();
        boolean mayGoOn = isHolding && alone == Alone.NONE && isPossible;
        isHolding &= !mayGoOn;
        return mayGoOn;
    }

    /** Nothing waits any more. Copies that have not ended do so without a word. */
    void abandon() {
        writes.abandon();
        removeAlone();
        isHolding = false;
        isClosed = false;
    }
}
