package io.urma4j.udma.transport;

import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Unreliable datagrams: one packet a message, nothing remembered, nothing repeated (WIRE §4.6). A message is over when it
 * was handed to the port; whether it arrives, nobody learns.
 */
public final class Datagrams {
    private static final long U32 = 0xFFFF_FFFFL;

    private final Port port;
    private int nextPsn;
    private long sent;
    private long received;
    private long wrongKeys;
    private long notReady;
    private long tooLong;

    public Datagrams(Port port) {
        this.port = port;
    }

    /**
     * Sends a message; its work request has ended then, unless the port had no room.
     *
     * @param queueKey what the receiving queue wants to see
     * @return false when the port has no room: nothing has happened
     */
    public boolean send(SendWork work, long position, Route route, int remoteQueue, int queueKey) {
        MemorySegment ring = work.ring();
        long at = work.at(position);
        int opcode = SendWqe.opcode(ring, at);
        boolean hasImmediate = opcode == WorkOpcode.SEND_IMM;
        long immediate = SendWqe.operand(ring, at);
        if (opcode != WorkOpcode.SEND && !hasImmediate || hasImmediate && immediate >>> Integer.SIZE != 0) {
            work.done(position, WorkStatus.UNSUPPORTED_OPCODE_ERR);
            return true;
        }
        long length = SendWqe.lengthBytes(ring, at) & U32;
        if (length > route.mtuBytes()) {
            work.done(position, WorkStatus.LOC_LEN_ERR);
            return true;
        }
        Packet packet = port.begin(route);
        if (packet == null) {
            return false;
        }
        MemorySegment bytes = packet.bytes();
        packet.begin(Opcodes.UD | (hasImmediate ? Opcodes.SEND_ONLY_IMM : Opcodes.SEND_ONLY), remoteQueue, nextPsn);
        nextPsn = nextPsn + 1 & Bth.MAX_24;
        Deth.put(bytes, packet.at(Header.DETH), queueKey, work.queueId());
        if (hasImmediate) {
            ImmDt.put(bytes, packet.at(Header.IMM_DT), (int) immediate);
        }
        if ((SendWqe.flags(ring, at) & WorkOpcode.SOLICITED) != 0) {
            Bth.solicit(bytes);
        }
        int payloadBytes = (int) length;
        if (payloadBytes > 0 && !work.gather(position, 0, bytes, packet.payloadAt(), payloadBytes)) {
            work.done(position, WorkStatus.LOC_ACCESS_ERR); // what was begun and not ended never leaves
            return true;
        }
        port.end(payloadBytes);
        sent++;
        work.done(position, WorkStatus.SUCCESS);
        return true;
    }

    /**
     * A datagram came, which {@code PacketCheck} found sound and whose ICRC is right.
     *
     * @param receiver of the queue that it is for; null when that takes none
     * @param queueKey of that queue; a datagram with another one is dropped
     * @param origin what the record says in the place of a connection
     */
    public void receive(Packet packet, @Nullable ReceiveWork receiver, int queueKey, int origin) {
        MemorySegment bytes = packet.bytes();
        int deth = packet.at(Header.DETH);
        if (Deth.queueKey(bytes, deth) != queueKey) {
            wrongKeys++;
            return;
        }
        long taken = receiver == null ? ReceiveWork.NONE : receiver.take();
        if (receiver == null || taken == ReceiveWork.NONE) {
            notReady++;
            return;
        }
        received++;
        boolean hasImmediate = Opcodes.has(packet.opcode(), Header.IMM_DT);
        receiver.done(
                taken,
                place(packet, receiver, taken),
                hasImmediate ? WorkOpcode.SEND_IMM : WorkOpcode.SEND,
                packet.payloadBytes(),
                hasImmediate ? ImmDt.immediate(bytes, packet.at(Header.IMM_DT)) & U32 : 0,
                Bth.isSolicited(bytes),
                Deth.sourceQp(bytes, deth),
                origin);
    }

    private int place(Packet packet, ReceiveWork receiver, long taken) {
        int length = packet.payloadBytes();
        if (length > receiver.capacityBytes(taken)) {
            tooLong++;
            return WorkStatus.LOC_LEN_ERR;
        }
        boolean isThere = length == 0 || receiver.scatter(taken, 0, packet.bytes(), packet.payloadAt(), length);
        return isThere ? WorkStatus.SUCCESS : WorkStatus.LOC_ACCESS_ERR;
    }

    public long sent() {
        return sent;
    }

    public long received() {
        return received;
    }

    /** Datagrams for another Q_Key than the queue's. */
    public long wrongKeys() {
        return wrongKeys;
    }

    /** Datagrams that found no receive work request, and are lost. */
    public long notReady() {
        return notReady;
    }

    /** Datagrams that were longer than what they found. */
    public long tooLong() {
        return tooLong;
    }

    @Override
    public String toString() {
        return "datagrams: " + sent + " sent, " + received + " received, " + notReady + " not ready, " + tooLong
                + " too long, " + wrongKeys + " with a wrong Q_Key";
    }
}
