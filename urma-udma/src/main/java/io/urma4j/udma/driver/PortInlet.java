package io.urma4j.udma.driver;

import io.urma4j.udma.device.Card;
import io.urma4j.udma.udp.Origin;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.udp.UdpPort;
import io.urma4j.udma.wire.Packet;

/** Hands a card what its port receives. All that one look finds has come at the time of the look. */
final class PortInlet implements Crank.Inlet, PacketSink {
    private final UdpPort port;
    private final Card card;
    private long nowNanos;

    PortInlet(UdpPort port, Card card) {
        this.port = port;
        this.card = card;
    }

    @Override
    public int receive(long now) {
        nowNanos = now;
        return port.receive(this);
    }

    @Override
    public void packet(Packet packet, Origin origin) {
        card.receive(packet, origin, nowNanos);
    }
}
