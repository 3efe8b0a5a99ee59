package io.urma4j.udma.device;

import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ReceiveWork;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

/** Datagrams, which are not acknowledged: a UD queue pair sends and receives them (WIRE §4.6). */
final class Datagrams {
    /** The port has no space. */
    static final int NO_ROOM = 0;

    static final int SENT = 1;

    /** Local memory is closed. */
    static final int LOCAL_ERROR = 2;

    private static final int NO_CONNECTION = 0;

    private final WatchedPort port;
    private final Registry registry;
    private int psn;

    Datagrams(WatchedPort port, Registry registry) {
        this.port = port;
        this.registry = registry;
    }

    /** Sends one; returns one of the results above. */
    int send(SendQueue queue, long position, Target target) {
        Route route = target.route();
        if (route == null) {
            return LOCAL_ERROR;
        }
        MemorySegment ring = queue.ring();
        long at = queue.at(position);
        boolean hasImmediate = SendWqe.opcode(ring, at) == WorkOpcode.SEND_IMM;
        int opcode = opcode(hasImmediate, SendWqe.operand(ring, at));
        Packet packet = port.begin(route);
        if (packet == null) {
            return NO_ROOM;
        }
        packet.begin(opcode, target.remoteQueue(), psn++ & Bth.MAX_24);
        MemorySegment bytes = packet.bytes();
        Deth.put(bytes, packet.at(Header.DETH), target.queueKey(), queue.number());
        if (opcode == Opcodes.UD_SEND_ONLY_IMM64) {
            Imm64.put(bytes, packet.at(Header.IMM_64), SendWqe.operand(ring, at));
        } else if (hasImmediate) {
            ImmDt.put(bytes, packet.at(Header.IMM_DT), (int) SendWqe.operand(ring, at));
        }
        if ((SendWqe.flags(ring, at) & WorkOpcode.SOLICITED) != 0) {
            Bth.solicit(bytes);
        }
        int length = SendWqe.lengthBytes(ring, at);
        if (!queue.gather(position, 0, bytes, packet.payloadAt(), length)) {
            return LOCAL_ERROR; // the place is begun anew for the next packet
        }
        port.end(length);
        return SENT;
    }

    /** A RoCE peer never gets an immediate of more than 32 bits: the driver refuses that at post. */
    private static int opcode(boolean hasImmediate, long immediate) {
        if (hasImmediate && immediate >>> Integer.SIZE != 0) {
            return Opcodes.UD_SEND_ONLY_IMM64;
        }
        return Opcodes.UD | (hasImmediate ? Opcodes.SEND_ONLY_IMM : Opcodes.SEND_ONLY);
    }

    /** Receives one; false if no queue has the number. */
    boolean receive(Packet packet, Source origin) {
        MemorySegment bytes = packet.bytes();
        int deth = packet.at(Header.DETH);
        Receiver receiver = registry.datagramReceiver(Bth.destinationQp(bytes));
        if (receiver == null || Deth.queueKey(bytes, deth) != receiver.queueKey()) {
            return false;
        }
        long taken = receiver.refuses() ? ReceiveWork.NONE : receiver.take();
        if (taken == ReceiveWork.NONE) {
            receiver.queue().drop();
            return true;
        }
        int length = packet.payloadBytes();
        boolean fits = length <= receiver.capacityBytes(taken);
        boolean isStored = fits && receiver.scatter(taken, 0, bytes, packet.payloadAt(), length);
        int status = !fits ? WorkStatus.LOC_LEN_ERR : isStored ? WorkStatus.SUCCESS : WorkStatus.LOC_ACCESS_ERR;
        boolean isPlain = packet.opcode() == (Opcodes.UD | Opcodes.SEND_ONLY);
        registry.datagramFrom(origin);
        receiver.done(
                taken,
                status,
                isPlain ? WorkOpcode.SEND : WorkOpcode.SEND_IMM,
                length,
                immediate(packet),
                Bth.isSolicited(bytes),
                Deth.sourceQp(bytes, deth),
                NO_CONNECTION);
        return true;
    }

    private static long immediate(Packet packet) {
        int opcode = packet.opcode();
        if (Opcodes.has(opcode, Header.IMM_64)) {
            return Imm64.immediate(packet.bytes(), packet.at(Header.IMM_64));
        }
        boolean has = Opcodes.has(opcode, Header.IMM_DT);
        return has ? Integer.toUnsignedLong(ImmDt.immediate(packet.bytes(), packet.at(Header.IMM_DT))) : 0;
    }
}
