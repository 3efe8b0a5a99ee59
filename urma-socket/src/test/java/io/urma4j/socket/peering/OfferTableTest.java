package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.peering.OfferTable.State;
import io.urma4j.socket.peering.Offers.Offer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class OfferTableTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(OfferTable.LENGTH_BYTES, 64);
    private final OfferTable client = new OfferTable(memory);
    private final OfferTable server = new OfferTable(memory);
    private final InetSocketAddress here = address("127.0.0.1", 4000);
    private final InetSocketAddress there = address("127.0.0.1", 80);

    private static InetSocketAddress address(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    private Offer found() {
        Offer offer = server.find(here, there);
        assertThat(offer).isNotNull();
        return offer;
    }

    @Test
    void theServerTakesAnOffer() {
        int index = client.make(here, there, 7, 3);
        assertThat(client.state(index)).isEqualTo(State.OFFERED);
        Offer offer = found();
        assertThat(offer.proof()).isEqualTo(7);
        assertThat(offer.ring()).isEqualTo(3);

        assertThat(server.take(offer, 8, 4)).isTrue();
        assertThat(client.state(index)).isEqualTo(State.TAKEN);
        assertThat(client.withdraw(index)).isFalse();
        assertThat(client.serversProof(index)).isEqualTo(8);
        assertThat(client.serversRing(index)).isEqualTo(4);
    }

    @Test
    void theServerCannotTakeWhatWasWithdrawn() {
        int index = client.make(here, there, 7, 3);
        Offer offer = found();

        assertThat(client.withdraw(index)).isTrue();
        assertThat(server.take(offer, 8, 4)).isFalse();
        client.free(index);
        assertThat(server.find(here, there)).isNull();
    }

    @Test
    void anOldOfferTakesNoLaterOne() {
        int index = client.make(here, there, 7, 3);
        Offer old = found();
        assertThat(client.withdraw(index)).isTrue();
        client.free(index);
        int later = client.make(here, there, 9, 5);
        assertThat(later).isEqualTo(index);

        assertThat(server.take(old, 8, 4)).isFalse();
        assertThat(client.state(later)).isEqualTo(State.OFFERED);
    }

    @Test
    void aRefusalTellsItsReason() {
        int index = client.make(here, there, 7, 3);
        server.refuse(found(), 6);

        assertThat(client.state(index)).isEqualTo(State.REFUSED);
        assertThat(client.reason(index)).isEqualTo(6);
        assertThat(client.withdraw(index)).isFalse();
    }

    @Test
    void onlyTheConnectionOfTheOfferFindsIt() {
        client.make(here, there, 7, 3);

        assertThat(server.find(address("127.0.0.1", 4001), there)).isNull();
        assertThat(server.find(address("127.0.0.2", 4000), there)).isNull();
        assertThat(server.find(here, address("127.0.0.1", 81))).isNull();
        assertThat(server.find(here, address("127.0.0.2", 80))).isNull();
    }

    @Test
    void aClientThatIsBoundToAnyAddressMayComeFromEach() {
        client.make(address("0.0.0.0", 4000), there, 7, 3);

        assertThat(server.find(address("127.0.0.1", 4000), there)).isNotNull();
        assertThat(server.find(address("192.168.1.5", 4000), there)).isNotNull();
    }

    @Test
    void offersOfManyPortsStandBesideEachOther() {
        int made = 0;
        for (int port = 1; port < 65_536; port += 1024) { // all at the same place
            made += client.make(address("127.0.0.1", port), there, port, 1) >= 0 ? 1 : 0;
        }
        assertThat(made).isEqualTo(8);
        Offer last = server.find(address("127.0.0.1", 1 + 7 * 1024), there);
        assertThat(last).isNotNull();
        assertThat(last.proof()).isEqualTo(1 + 7 * 1024);
    }

    @Test
    void aWordThatMakesNoSenseIsARefusal() {
        int index = client.make(here, there, 7, 3);
        for (int at = 0; at < OfferTable.LENGTH_BYTES; at += 8) {
            memory.set(ValueLayout.JAVA_LONG, at, 0x1234);
        }

        assertThat(client.state(index)).isEqualTo(State.REFUSED);
        client.free(index);
        assertThat(client.state(client.make(here, there, 7, 3))).isEqualTo(State.OFFERED);
    }
}
