package io.urma4j.udma.device;

import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.lang.foreign.Arena;

/** Finds the destination of a packet. A packet without one is dropped, and counted. */
final class Inbound {
    private final Registry registry;
    private final CardListener listener;
    private final Datagrams datagrams;
    private final Packet unpacked = new Packet(Arena.ofAuto().allocate(Packet.MAX_BYTES, Long.BYTES));
    private long dropped;

    Inbound(Registry registry, CardListener listener, Datagrams datagrams) {
        this.registry = registry;
        this.listener = listener;
        this.datagrams = datagrams;
    }

    /** Packets without a destination, or from a source without a connection here. */
    long dropped() {
        return dropped;
    }

    void receive(Packet packet, Source origin, long nowNanos) {
        int opcode = packet.opcode();
        if (opcode == Opcodes.BUNDLE) {
            unpack(packet, origin, nowNanos);
        } else if (opcode == Opcodes.CNP) {
            toConnection(Bth.destinationQp(packet.bytes()), packet, origin, nowNanos);
        } else if (Opcodes.has(opcode, Header.RDETH)) {
            toConnection(Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH)), packet, origin, nowNanos);
        } else if (Opcodes.has(opcode, Header.DETH)) {
            datagram(packet, origin, nowNanos);
        } else {
            toConnection(Bth.destinationQp(packet.bytes()), packet, origin, nowNanos);
        }
    }

    /**
     * The secret that must verify the ICRC of a valid packet: that of the connection that it names, if its source is that
     * connection's peer. In a bundle the first packet decides; the others are checked when they are taken out.
     */
    long secretOf(Packet packet, Source origin) {
        int at = Bundle.is(packet) ? Bundle.firstPacket() : 0;
        int opcode = Bth.opcodeAt(packet.bytes(), at);
        boolean isShared = Opcodes.has(opcode, Header.RDETH);
        if (Opcodes.has(opcode, Header.DETH) && !isShared) {
            return IpHeaders.NO_SECRET; // datagrams are of no connection
        }
        CardConnection link = registry.link(
                isShared
                        ? Rdeth.endToEndContext(packet.bytes(), at + Opcodes.offset(opcode, Header.RDETH))
                        : Bth.destinationQpAt(packet.bytes(), at));
        return link != null && link.isAt(origin) ? link.secret() : IpHeaders.NO_SECRET;
    }

    /** A congestion mark counts for one packet. */
    private void unpack(Packet bundle, Source origin, long nowNanos) {
        boolean isMarked = Bth.isForwardNotice(bundle.bytes());
        int at = Bundle.first();
        while (at < Bundle.end(bundle)) {
            at = Bundle.take(bundle, at, unpacked);
            Bth.forwardNotice(unpacked.bytes(), isMarked);
            isMarked = false;
            receive(unpacked, origin, nowNanos);
        }
    }

    private void datagram(Packet packet, Source origin, long nowNanos) {
        if (Bth.destinationQp(packet.bytes()) == Management.QUEUE) {
            control(packet, origin, nowNanos);
        } else if (!datagrams.receive(packet, origin)) {
            dropped++;
        }
    }

    private void control(Packet packet, Source origin, long nowNanos) {
        if (Management.isOne(packet) && listener.takesControl()) {
            listener.controlArrived(Management.datagram(packet), origin.eidHigh(), origin.eidLow(), nowNanos);
        }
    }

    /** A packet for a connection from another source than its peer, or without its secret, is for nobody. */
    private void toConnection(int number, Packet packet, Source origin, long nowNanos) {
        CardConnection link = registry.link(number);
        if (link == null || !link.isFrom(origin)) {
            dropped++;
        } else {
            link.receive(packet, origin, nowNanos);
        }
    }
}
