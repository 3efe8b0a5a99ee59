package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.NotifyEth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import io.urma4j.udma.wire.Reth;
import org.jspecify.annotations.Nullable;

/**
 * The SEND or WRITE that a peer is sending: places its packets, which arrive in order and once (WIRE §3, §5). Each call
 * returns the syndrome for the peer; {@link #FINE} for a plain acknowledgement.
 */
final class Incoming {
    static final int FINE = 0;

    // in place of a syndrome
    /** The packet is executed, but for its {@linkplain #copy copy}. */
    static final int PLACING = 0x100;
    /** Nothing was done: the memory is busy. */
    static final int BUSY = 0x101;

    private enum State {
        NONE,
        SEND,
        WRITE,
        /** The message was rejected: its remaining packets are discarded. On shared connections only. */
        DISCARD
    }

    private final ConnectionConfig config;
    private final Memory memory;
    private final Receivers receivers;
    private final HeldFlows heldFlows = new HeldFlows();
    private final Invalidation invalidation;

    private State state = State.NONE;

    // of a SEND
    private @Nullable ReceiveWork work;
    private long taken = ReceiveWork.NONE;
    private int sourceQueue;
    private long hadBytes;

    // of a WRITE
    private long va;
    private int remoteKey;
    private long lengthBytes;
    private long leftBytes;

    /** With its last packet the message is complete, and has succeeded. */
    private boolean hasEnded;

    private boolean hasDiscarded;
    private int refusal;

    /** Of the packet that is {@link #PLACING}. */
    private long copy;

    /** A packet of a SEND, or the last one of a WRITE with a record or a word, waits for its copy. */
    private boolean isEnding;

    Incoming(ConnectionConfig config, Memory memory, Receivers receivers) {
        this.config = config;
        this.memory = memory;
        this.receivers = receivers;
        this.invalidation = new Invalidation(config, memory);
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /** The packet was the last one of a rejected message, and is discarded. */
    boolean hasDiscarded() {
        return hasDiscarded;
    }

    /** The syndrome that rejected the message. */
    int refusal() {
        return refusal;
    }

    /** The next packet of a SEND or WRITE; its PSN is the expected one. */
    int take(Packet packet, long psn, long nowNanos) {
        hasEnded = false;
        hasDiscarded = false;
        int opcode = packet.opcode();
        boolean isFirst = ReceivedRequest.isFirst(opcode);
        boolean isLast = ReceivedRequest.isLast(opcode);
        State kind = ReceivedRequest.isWrite(opcode) ? State.WRITE : State.SEND;
        if (state == State.DISCARD && !isFirst) {
            state = isLast ? State.NONE : State.DISCARD;
            hasDiscarded = true;
            return FINE;
        }
        if (isFirst && !mayBegin() || !isFirst && state != kind) {
            return refuse(isLast, Aeth.NAK_INVALID_REQUEST);
        }
        if (!isLengthRight(packet.payloadBytes(), isFirst, isLast)) {
            return refuse(isLast, Aeth.NAK_INVALID_REQUEST);
        }
        int syndrome = kind == State.SEND
                ? send(packet, psn, isFirst, isLast, nowNanos)
                : write(packet, psn, isFirst, isLast, nowNanos);
        syndrome = syndrome == FINE || syndrome >= PLACING ? syndrome : refuse(isLast, syndrome);
        assert invariants() : state + " with " + leftBytes + " bytes left";
        return syndrome;
    }

    /** A SEND in progress has a receive, which no other message has; a WRITE in progress has bytes to come. */
    private boolean invariants() {
        boolean hasReceive = work != null && taken != ReceiveWork.NONE;
        return (hasReceive == (state == State.SEND) || isEnding) && (state != State.WRITE || leftBytes > 0);
    }

    /**
     * Another message begins: whether none is in progress. urma4j abandons messages, on shared connections and when a
     * receiver was never ready; from foreign peers that is an error.
     */
    boolean mayBegin() {
        if (config.peerIsOurs()) {
            giveUp();
        }
        return state == State.NONE;
    }

    /**
     * A packet replaces a part of a message whose payload is gone.
     *
     * @param isFirst whether it begins the message: then it is not left of a message that was refused before
     * @param isLast whether it ends the message
     * @return whether it ended the message, which was not refused before
     */
    boolean endInstead(boolean isFirst, boolean isLast) {
        hasDiscarded = state == State.DISCARD && !isFirst;
        if (hasDiscarded) {
            state = isLast ? State.NONE : State.DISCARD;
            return false;
        }
        giveUp();
        return isLast;
    }

    // ---- memory that answers later

    /** The number of the copy of a packet that is {@link #PLACING}. */
    long copy() {
        return copy;
    }

    /** Whether that packet is one of a SEND, or has a record or a word, so that {@link #finish} ends it when its copy has ended. */
    boolean isEnding() {
        return isEnding;
    }

    /** The copy of such a packet has ended, with that syndrome. */
    int finish(Packet packet, long psn, int copied, long nowNanos) {
        isEnding = false;
        if (!ReceivedRequest.isWrite(packet.opcode())) {
            boolean isLast = ReceivedRequest.isLast(packet.opcode());
            int sent = sent(packet, psn, copied == FINE, isLast, nowNanos);
            return sent == FINE || sent == PLACING ? sent : refuse(isLast, sent);
        }
        int syndrome = copied == FINE ? store(packet) : copied;
        if (syndrome != FINE) {
            return refuse(true, syndrome);
        }
        placed(packet, packet.payloadBytes(), true, ReceivedRequest.isReported(packet.opcode()), nowNanos);
        return FINE;
    }

    /** Such a packet was not taken after all. */
    void postpone() {
        isEnding = false;
        if (state == State.SEND && hadBytes > 0) {
            return; // a later packet of the message: its receive stays
        }
        state = state == State.SEND ? State.NONE : state;
        giveBack();
    }

    /** A packet of the WRITE in progress was refused, on a shared connection: the rest is discarded. */
    void refuseRest(int syndrome) {
        if (state == State.WRITE) {
            refuse(false, syndrome);
        }
    }

    /** The message in progress will not complete. */
    void giveUp() {
        giveBack();
        isEnding = false;
        state = State.NONE;
    }

    private void giveBack() {
        if (work != null && taken != ReceiveWork.NONE) {
            work.giveBack(taken);
        }
        forget();
    }

    private void forget() {
        work = null;
        taken = ReceiveWork.NONE;
    }

    /** A message that found no receive is retried from this packet on, unless the connection is shared. */
    private int refuse(boolean isLast, int syndrome) {
        if (config.isShared()) {
            giveUp();
            state = isLast ? State.NONE : State.DISCARD;
            refusal = syndrome;
        } else if (Aeth.kind(syndrome) != Aeth.Kind.RNR_NAK) {
            giveUp();
        }
        return syndrome;
    }

    private boolean isLengthRight(int payloadBytes, boolean isFirst, boolean isLast) {
        if (!isLast) {
            return payloadBytes == config.mtuBytes();
        }
        return payloadBytes <= config.mtuBytes() && (isFirst || payloadBytes > 0);
    }

    // ---- SEND

    private int send(Packet packet, long psn, boolean isFirst, boolean isLast, long nowNanos) {
        if (isFirst) {
            int syndrome = takeReceive(packet, psn);
            if (syndrome != FINE) {
                return syndrome;
            }
            hadBytes = 0;
            state = State.SEND;
        }
        ReceiveWork receive = requireNonNull(work);
        int length = packet.payloadBytes();
        if (hadBytes + length > receive.capacityBytes(taken)) {
            end(WorkStatus.LOC_LEN_ERR, packet, hadBytes + length, nowNanos);
            return Aeth.NAK_REMOTE_OPERATION;
        }
        copy = length == 0
                ? Memory.AT_ONCE
                : receive.place(taken, hadBytes, packet.bytes(), packet.payloadAt(), length, config.number());
        if (copy == Memory.BUSY) {
            postpone();
            return BUSY;
        }
        isEnding = copy > Memory.AT_ONCE;
        return isEnding ? PLACING : sent(packet, psn, copy == Memory.AT_ONCE, isLast, nowNanos);
    }

    /** The bytes of a packet of a SEND are in the buffer, or cannot be placed there. */
    private int sent(Packet packet, long psn, boolean isPlaced, boolean isLast, long nowNanos) {
        ReceiveWork receive = requireNonNull(work);
        if (!isPlaced) {
            end(WorkStatus.LOC_ACCESS_ERR, packet, hadBytes, nowNanos);
            return Aeth.NAK_REMOTE_OPERATION;
        }
        if (Opcodes.has(packet.opcode(), Header.IETH)) {
            copy = invalidation.revoke(packet, psn, receive);
            isEnding = copy > Memory.AT_ONCE;
            if (copy != Memory.AT_ONCE) {
                return isEnding ? PLACING : Aeth.NAK_REMOTE_ACCESS;
            }
        }
        hadBytes += packet.payloadBytes();
        if (isLast) {
            end(WorkStatus.SUCCESS, packet, hadBytes, nowNanos);
            hasEnded = true;
        }
        return FINE;
    }

    /** Finds the receive work request for the message. */
    private int takeReceive(Packet packet, long psn) {
        int queue = config.number();
        int hint = 0;
        long flow = 0;
        sourceQueue = config.peerNumber();
        if (config.isShared()) {
            NativeMemory bytes = packet.bytes();
            queue = Bth.destinationQp(bytes);
            hint = Deth.hint(bytes, packet.at(Header.DETH));
            sourceQueue = Deth.sourceQp(bytes, packet.at(Header.DETH));
            flow = HeldFlows.flow(sourceQueue, queue);
            if ((Rdeth.flags(bytes, packet.at(Header.RDETH)) & Rdeth.STARTS_ANEW) != 0) {
                heldFlows.release(flow);
            }
        }
        ReceiveWork receive = receivers.receiver(queue, hint, sourceQueue, config.number());
        if (receive == null) {
            return Aeth.NAK_REMOTE_OPERATION;
        }
        if (config.isShared() && heldFlows.holds(flow, psn)) {
            return Aeth.rnrNak(receive.rnrTimerCode());
        }
        long next = receive.take();
        if (next == ReceiveWork.NONE) {
            if (config.isShared()) {
                heldFlows.hold(flow, psn);
            }
            return Aeth.rnrNak(receive.rnrTimerCode());
        }
        work = receive;
        taken = next;
        return FINE;
    }

    private void end(int status, Packet packet, long length, long nowNanos) {
        ReceiveWork receive = requireNonNull(work);
        long handle = taken;
        forget();
        state = State.NONE;
        boolean solicited = Bth.isSolicited(packet.bytes());
        receive.done(
                handle,
                status,
                ReceivedRequest.recordOpcode(packet),
                length,
                ReceivedRequest.immediate(packet),
                solicited,
                sourceQueue,
                config.number(),
                nowNanos);
    }

    // ---- WRITE

    private int write(Packet packet, long psn, boolean isFirst, boolean isLast, long nowNanos) {
        NativeMemory bytes = packet.bytes();
        int length = packet.payloadBytes();
        boolean isReported = isLast && ReceivedRequest.isReported(packet.opcode());
        if (isFirst) {
            int at = packet.at(Header.RETH);
            va = Reth.va(bytes, at);
            remoteKey = Reth.remoteKey(bytes, at);
            lengthBytes = Reth.lengthBytes(bytes, at);
            leftBytes = lengthBytes;
            // the range of an empty message is not checked, as in Linux (WIRE §3); that of a whole one when it is
            // placed
            boolean isCheckedLater = isLast && !isReported && length == lengthBytes;
            if (lengthBytes > 0
                    && !isCheckedLater
                    && !memory.isAllowed(remoteKey, va, lengthBytes, Memory.WRITE, config.number())) {
                return Aeth.NAK_REMOTE_ACCESS;
            }
        }
        if (isLast ? length != leftBytes : length >= leftBytes) {
            return Aeth.NAK_INVALID_REQUEST;
        }
        int syndrome = isReported ? takeReceive(packet, psn) : FINE;
        if (syndrome != FINE) {
            return syndrome;
        }
        syndrome = place(packet, length);
        if (syndrome == PLACING && isLast && (isReported || Opcodes.has(packet.opcode(), Header.NOTIFY_ETH))) {
            isEnding = true;
        } else if (syndrome == FINE || syndrome == PLACING) {
            placed(packet, length, isLast, isReported, nowNanos);
        } else if (syndrome == BUSY) {
            postpone();
        }
        return syndrome; // if it is refused, what was taken is given back
    }

    private void placed(Packet packet, int length, boolean isLast, boolean isReported, long nowNanos) {
        leftBytes -= length;
        assert leftBytes >= 0 : "placed " + -leftBytes + " bytes beyond the WRITE";
        state = isLast ? State.NONE : State.WRITE;
        if (isReported) {
            end(WorkStatus.SUCCESS, packet, lengthBytes, nowNanos);
        }
        hasEnded = isLast;
    }

    private int place(Packet packet, int length) {
        NativeMemory bytes = packet.bytes();
        long at = va + (lengthBytes - leftBytes);
        if (length > 0) {
            copy = memory.place(remoteKey, at, bytes, packet.payloadAt(), length, config.number());
            if (copy != Memory.AT_ONCE) {
                return copy > 0 ? PLACING : copy == Memory.BUSY ? BUSY : Aeth.NAK_REMOTE_ACCESS;
            }
        }
        return store(packet);
    }

    /** Stores the word of a WRITE_NOTIFY. */
    private int store(Packet packet) {
        return Opcodes.has(packet.opcode(), Header.NOTIFY_ETH)
                ? notify(packet.bytes(), packet.at(Header.NOTIFY_ETH))
                : FINE;
    }

    private int notify(NativeMemory bytes, int at) {
        long where = NotifyEth.va(bytes, at);
        int key = NotifyEth.remoteKey(bytes, at);
        if ((where & (Long.BYTES - 1)) != 0) {
            return Aeth.NAK_INVALID_REQUEST;
        }
        boolean isStored = memory.isAllowed(key, where, Long.BYTES, Memory.WRITE, config.number())
                && memory.store(key, where, NotifyEth.value(bytes, at), config.number());
        return isStored ? FINE : Aeth.NAK_VALUE_ACCESS;
    }
}
