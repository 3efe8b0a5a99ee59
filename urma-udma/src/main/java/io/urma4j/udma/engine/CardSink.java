package io.urma4j.udma.engine;

import io.urma4j.udma.device.Card;
import io.urma4j.udma.udp.Origin;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.wire.Packet;
import java.util.function.LongSupplier;

/** Passes packets to a card that another thread has received, under the lock of the card. */
final class CardSink implements PacketSink {
    private final Card card;
    private final LongSupplier clock;
    private final StallDetector stallDetector;

    CardSink(Card card, LongSupplier clock, StallDetector stallDetector) {
        this.card = card;
        this.clock = clock;
        this.stallDetector = stallDetector;
    }

    @Override
    public long secretOf(Packet packet, Origin origin) {
        return card.secretOf(packet, origin);
    }

    @Override
    public void packet(Packet packet, Origin origin) {
        card.receive(packet, origin, stallDetector.isLate(), clock.getAsLong());
    }
}
