package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.SendWork;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.nio.ByteBuffer;

/** Sends datagrams, which are not acknowledged (WIRE §4.6): those of queues, and control datagrams from QP 1. */
final class DatagramSender {
    /** What became of a datagram. */
    enum Result {
        SENT,
        /** The port has no space. */
        NO_ROOM,
        /** Local memory is closed. */
        LOCAL_ERROR
    }

    private final Port port;
    private int psn;
    private int controlPsn;

    DatagramSender(Port port) {
        this.port = port;
    }

    /** Sends that of a work request. */
    Result send(SendWork queue, long position, Target target) {
        Route route = target.route();
        if (route == null) {
            return Result.LOCAL_ERROR;
        }
        NativeMemory ring = queue.ring();
        long at = queue.at(position);
        int word = SendWqe.word(ring, at);
        boolean hasImmediate = SendWqe.opcode(word) == WorkOpcode.SEND_IMM;
        int opcode = opcode(hasImmediate, SendWqe.operand(ring, at));
        Packet packet = port.begin(route);
        if (packet == null) {
            return Result.NO_ROOM;
        }
        int flags = Bth.solicits((SendWqe.flags(word) & WorkOpcode.SOLICITED) != 0);
        packet.begin(opcode, flags, target.remoteQueue(), 0, psn++ & Bth.MAX_24);
        NativeMemory bytes = packet.bytes();
        Deth.put(bytes, packet.at(Header.DETH), target.queueKey(), queue.queueId());
        if (opcode == Opcodes.UD_SEND_ONLY_IMM64) {
            Imm64.put(bytes, packet.at(Header.IMM_64), SendWqe.operand(ring, at));
        } else if (hasImmediate) {
            ImmDt.put(bytes, packet.at(Header.IMM_DT), (int) SendWqe.operand(ring, at));
        }
        int length = SendWqe.lengthBytes(ring, at);
        packet.mustCopy(); // its request completes before the packet has left
        if (!queue.gather(position, 0, packet, length)) {
            return Result.LOCAL_ERROR; // the place is begun anew for the next packet
        }
        port.end(length);
        return Result.SENT;
    }

    /** A RoCE peer never gets an immediate of more than 32 bits: the driver refuses that at post. */
    private static int opcode(boolean hasImmediate, long immediate) {
        if (hasImmediate && immediate >>> Integer.SIZE != 0) {
            return Opcodes.UD_SEND_ONLY_IMM64;
        }
        return Opcodes.UD | (hasImmediate ? Opcodes.SEND_ONLY_IMM : Opcodes.SEND_ONLY);
    }

    /** Sends a control datagram by itself; one that finds no space at the port is lost. */
    void sendControl(Route route, ByteBuffer datagram) {
        Packet packet = port.begin(route);
        if (packet != null) {
            Management.put(packet, controlPsn++, datagram);
            port.end(datagram.remaining());
            port.flush();
        }
    }
}
