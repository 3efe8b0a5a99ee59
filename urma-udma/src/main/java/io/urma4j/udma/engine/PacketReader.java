package io.urma4j.udma.engine;

import io.urma4j.udma.device.Card;
import io.urma4j.udma.udp.UdpPort;

/** Passes received packets of a port to the card. All packets of one read count as received at that time. */
final class PacketReader implements EventLoop.Inlet {
    private final UdpPort port;
    private final CardSink sink;
    private long nowNanos;

    PacketReader(UdpPort port, Card card) {
        this.port = port;
        this.sink = new CardSink(card, () -> nowNanos);
    }

    @Override
    public int receive(long now) {
        nowNanos = now;
        return port.receive(sink);
    }
}
