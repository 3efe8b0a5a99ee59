package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnknownPeersMailTest {
    private static final int FLOOD = 100_000;
    private static final Eid HONEST = Eid.ofIpv4(0x7F00_0001);

    private final UnknownPeerMail mail = new UnknownPeerMail();

    private void add(Eid source) {
        mail.add(source, ByteBuffer.allocate(0));
    }

    private int letters() {
        int count = 0;
        while (mail.poll() != null) {
            count++;
        }
        return count;
    }

    private List<Eid> next(int count) {
        List<Eid> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            UnknownPeerMail.Letter letter = mail.poll();
            if (letter != null) {
                sources.add(letter.source());
            }
        }
        return sources;
    }

    @Test
    void lettersOfOneNetworkComeInTheirOrder() {
        for (int i = 0; i < 10; i++) {
            mail.add(HONEST, ByteBuffer.allocate(i));
        }

        for (int i = 0; i < 10; i++) {
            UnknownPeerMail.Letter letter = mail.poll();
            assertThat(letter).isNotNull();
            assertThat(letter.datagram().capacity()).isEqualTo(i);
        }
        assertThat(mail.poll()).isNull();
        assertThat(mail.isEmpty()).isTrue();
    }

    @Test
    void aFloodDelaysItsOwnNetworksAlone() {
        int networks = 64;
        for (int i = 0; i < FLOOD; i++) {
            add(Eid.ofIpv4(0x0A00_0000 + i % networks));
        }

        add(HONEST);

        assertThat(next(networks + 1)).contains(HONEST);
    }

    /** One that has more in the flood's midst keeps its order, and loses none to those that have more. */
    @Test
    void aNetworkWithFewerLettersLosesNone() {
        for (int i = 0; i < 20; i++) {
            add(HONEST);
        }
        for (int i = 0; i < FLOOD; i++) {
            add(Eid.ofIpv4(0x0A00_0000 + i % 8));
        }

        assertThat(next(UnknownPeerMail.MAX_WAITING).stream().filter(HONEST::equals))
                .hasSize(20);
    }

    @Test
    void addressesWithoutNumberTakeNoMoreRoom() {
        for (int i = 0; i < FLOOD; i++) {
            add(Eid.ofIpv4(i));
        }

        assertThat(letters()).isEqualTo(UnknownPeerMail.MAX_WAITING);
        assertThat(mail.isEmpty()).isTrue();
    }

    /** A host without rivals has all of the room: its processes may start all at once. */
    @Test
    void aSingleNetworkHasAllTheRoom() {
        for (int i = 0; i < FLOOD; i++) {
            add(HONEST);
        }

        assertThat(letters()).isEqualTo(UnknownPeerMail.MAX_WAITING);
    }
}
