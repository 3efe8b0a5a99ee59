package io.urma4j.udma.engine;

import io.urma4j.udma.device.Card;
import io.urma4j.udma.udp.Origin;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.wire.Packet;
import java.util.function.LongSupplier;

/** Receives packets of a port for a card: it determines the secret that each must have, and accepts those that have it. */
final class CardSink implements PacketSink {
    private final Card card;
    private final LongSupplier clock;

    CardSink(Card card, LongSupplier clock) {
        this.card = card;
        this.clock = clock;
    }

    @Override
    public long secretOf(Packet packet, Origin origin) {
        return card.secretOf(packet, origin);
    }

    @Override
    public void packet(Packet packet, Origin origin) {
        card.receive(packet, origin, clock.getAsLong());
    }
}
