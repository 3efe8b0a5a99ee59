package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.wire.Packet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BundlePlacesTest {
    private final BundlePlaces places = new BundlePlaces();

    @Test
    void aPositionHasOnePacket() {
        Packet bundle = Packet.allocate();

        Packet first = places.in(bundle, 16);

        assertThat(first).isNotSameAs(places.elsewhere()).isSameAs(places.in(bundle, 16));
        assertThat(places.in(bundle, 20)).isNotSameAs(first);
        assertThat(places.in(bundle, 18)).as("between words").isSameAs(places.elsewhere());
    }

    /** A hostile sender varies the lengths in its bundles, and the kernel puts them into many buffers. */
    @Test
    void positionsBeyondTheLimitShareOnePacket() {
        Set<Packet> made = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            Packet bundle = Packet.allocate();
            for (int at = 16; at < 4096; at += 4) {
                made.add(places.in(bundle, at));
            }
        }

        assertThat(made).hasSize(4096 + 1).contains(places.elsewhere());
    }
}
