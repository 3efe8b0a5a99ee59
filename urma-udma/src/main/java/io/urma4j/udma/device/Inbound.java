package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ReceiveWork;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Imm64;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.Rdeth;

/** Finds the destination of a packet. A packet without one is dropped, and counted. */
final class Inbound {
    private static final int NO_CONNECTION = 0;

    private final Registry registry;
    private final CardListener listener;
    private final BundlePlaces places = new BundlePlaces();
    private long dropped;
    private long fragments;

    Inbound(Registry registry, CardListener listener) {
        this.registry = registry;
        this.listener = listener;
    }

    /** Packets without a destination, or from a source without a connection here. */
    long dropped() {
        return dropped;
    }

    /** Fragments of the peers of connections. */
    long fragments() {
        return fragments;
    }

    /** @param isDelayed whether the packet may have waited in this host */
    void receive(Packet packet, Source origin, boolean isDelayed, long nowNanos) {
        int opcode = packet.opcode();
        boolean isNotice = opcode == Opcodes.CNP;
        if (opcode == Opcodes.BUNDLE) {
            unpack(packet, origin, isDelayed, nowNanos);
        } else if (opcode == Opcodes.FRAGMENT) {
            fragment(packet, origin, isDelayed, nowNanos);
        } else if (!isNotice && Opcodes.has(opcode, Header.RDETH)) {
            int number = Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH));
            toConnection(number, packet, origin, isDelayed, nowNanos);
        } else if (!isNotice && Opcodes.has(opcode, Header.DETH)) {
            datagram(packet, origin, nowNanos);
        } else {
            toConnection(Bth.destinationQp(packet.bytes()), packet, origin, isDelayed, nowNanos);
        }
    }

    /**
     * The secret that must verify the ICRC of a valid packet: that of the connection that it names, if its source is that
     * connection's peer. In a bundle the first packet decides; the others are checked when they are taken out.
     */
    long secretOf(Packet packet, Source origin) {
        int opcode = packet.opcode();
        if (Opcodes.has(opcode, Header.DETH) && !Opcodes.has(opcode, Header.RDETH)) {
            return IpHeaders.NO_SECRET; // datagrams are of no connection
        }
        CardConnection link = registry.link(packet.connectionNumber());
        return link != null && link.isAt(origin) ? link.secret() : IpHeaders.NO_SECRET;
    }

    /** What the fragments of a packet give together is checked as if it had arrived by itself. */
    private void fragment(Packet fragment, Source origin, boolean isDelayed, long nowNanos) {
        CardConnection link = registry.link(fragment.connectionNumber());
        if (link == null || !link.isFrom(origin) || !link.takesFragments()) {
            dropped++;
            return;
        }
        fragments++;
        Packet whole = link.reassembly().add(fragment, nowNanos);
        if (whole == null) {
            return;
        }
        if (PacketCheck.ofConnection(whole) == null) {
            receive(whole, origin, isDelayed, nowNanos);
        } else {
            dropped++;
        }
    }

    /** A congestion mark counts for one packet. */
    private void unpack(Packet bundle, Source origin, boolean isDelayed, long nowNanos) {
        boolean isMarked = Bth.isForwardNotice(bundle.bytes());
        int at = Bundle.first();
        while (at < Bundle.end(bundle)) {
            Packet one = places.in(bundle, Bundle.packetAt(at));
            at = Bundle.take(bundle, at, one);
            Bth.forwardNotice(one.bytes(), isMarked);
            isMarked = false;
            receive(one, origin, isDelayed, nowNanos);
        }
    }

    private void datagram(Packet packet, Source origin, long nowNanos) {
        if (Bth.destinationQp(packet.bytes()) == Management.QUEUE) {
            control(packet, origin, nowNanos);
        } else if (!toQueue(packet, origin, nowNanos)) {
            dropped++;
        }
    }

    private void control(Packet packet, Source origin, long nowNanos) {
        if (Management.isOne(packet) && listener.takesControl()) {
            listener.controlArrived(Management.datagram(packet), origin.eidHigh(), origin.eidLow(), nowNanos);
        }
    }

    /** Receives a datagram, whose sender no connection knows (WIRE §4.6); false if no queue has the number. */
    private boolean toQueue(Packet packet, Source origin, long nowNanos) {
        NativeMemory bytes = packet.bytes();
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
        CompletionQueue cq = receiver.cq();
        int source = Deth.sourceQp(bytes, deth);
        Cqe.remote(cq.ring(), cq.at(), source, origin.eidHigh(), origin.eidLow());
        receiver.done(
                taken,
                status,
                isPlain ? WorkOpcode.SEND : WorkOpcode.SEND_IMM,
                length,
                immediate(packet),
                Bth.isSolicited(bytes),
                source,
                NO_CONNECTION,
                nowNanos);
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

    /** A packet for a connection from another source than its peer, or without its secret, is dropped. */
    private void toConnection(int number, Packet packet, Source origin, boolean isDelayed, long nowNanos) {
        CardConnection link = registry.link(number);
        if (link == null || !link.isFrom(origin)) {
            dropped++;
        } else {
            link.receive(packet, origin, isDelayed, nowNanos);
        }
    }
}
