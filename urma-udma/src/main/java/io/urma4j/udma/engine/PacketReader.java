package io.urma4j.udma.engine;

import io.urma4j.udma.device.Card;
import io.urma4j.udma.udp.Origin;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.udp.UdpPort;
import io.urma4j.udma.wire.Packet;

/** Passes received packets of a port to the card. All packets of one read count as received at that time. */
final class PacketReader implements EventLoop.Inlet, PacketSink {
    private final UdpPort port;
    private final Card card;
    private boolean isDelayed; // in the read in progress
    private long nowNanos; // of that read

    PacketReader(UdpPort port, Card card) {
        this.port = port;
        this.card = card;
    }

    @Override
    public int receive(boolean delayed, long now) {
        isDelayed = delayed;
        nowNanos = now;
        return port.receive(this);
    }

    @Override
    public long secretOf(Packet packet, Origin origin) {
        return card.secretOf(packet, origin);
    }

    @Override
    public void packet(Packet packet, Origin origin) {
        card.receive(packet, origin, isDelayed, nowNanos);
    }
}
