package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResponderResourceTest {
    private final ResponderResource resource = new ResponderResource();

    /** A READ of two hundred packets from PSN 0 on, of which nothing is wanted. */
    ResponderResourceTest() {
        resource.beginRead(1, 0, 200 * 1024, 0, 200, 1, 1);
        resource.letGo();
    }

    private List<Long> all() {
        List<Long> psns = new ArrayList<>();
        while (resource.isWanted()) {
            psns.add(resource.nextPsn());
            resource.sent();
        }
        return psns;
    }

    @Test
    void partsAreSentInTheOrderOfTheirPsns() {
        resource.want(10, 12, 100);
        resource.wantToo(20, 22);
        resource.wantToo(15, 16);

        assertThat(all()).containsExactly(10L, 11L, 15L, 20L, 21L);
    }

    @Test
    void eachPartHasAFirstAndALastPacket() {
        resource.want(10, 12, 100);
        resource.wantToo(20, 23);
        resource.sent();
        assertThat(resource.isAtEnd()).isTrue();
        resource.sent();

        assertThat(resource.isAtStart()).isTrue();
        assertThat(resource.isAtEnd()).isFalse();
        resource.sent();
        assertThat(resource.isAtStart()).isFalse();
    }

    @Test
    void aPartBeforeWhatIsBeingSentBeginsAnew() {
        resource.want(10, 20, 100);
        resource.sent();
        resource.sent();

        resource.wantToo(10, 11);

        assertThat(resource.isAtStart()).isTrue();
        assertThat(all()).containsExactly(10L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L);
    }

    @Test
    void whatIsOnItsWayAlreadyIsNotSentTwice() {
        resource.want(10, 20, 100);
        resource.sent();

        resource.wantToo(12, 15);

        assertThat(resource.isAtStart()).isFalse();
        assertThat(all()).hasSize(9);
    }

    /** Its memory was revoked in the middle of it, and the peer requests the rest once more. */
    @Test
    void whatIsWantedAfterAllWasDroppedBeginsAnew() {
        resource.want(10, 20, 100);
        resource.sent();
        resource.sent();
        resource.letGo();

        resource.wantToo(12, 14);

        assertThat(resource.isAtStart()).isTrue();
        assertThat(all()).containsExactly(12L, 13L);
    }

    @Test
    void howeverManyPartsAreWantedNoneIsForgotten() {
        Random random = new Random(1);
        for (int round = 0; round < 2_000; round++) {
            BitSet wanted = new BitSet();
            for (int i = 0; i < 1 + random.nextInt(20); i++) {
                int from = random.nextInt(100);
                int to = from + 1 + random.nextInt(6);
                wanted.set(from, to);
                resource.wantToo(from, to);
            }
            List<Long> sent = all();

            assertThat(sent).isSorted().doesNotHaveDuplicates();
            sent.forEach(psn -> wanted.clear((int) (long) psn));
            assertThat(wanted.isEmpty())
                    .as("round %d: nothing forgotten, but %s", round, wanted)
                    .isTrue();
        }
    }
}
