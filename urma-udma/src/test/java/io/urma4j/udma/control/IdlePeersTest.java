package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.control.LoneContext.Neighbour;
import org.junit.jupiter.api.Test;

/** The largest group pays for a newcomer: it must be the largest at each moment, also while groups shrink. */
class IdlePeersTest {
    private final IdlePeers<String> idle = new IdlePeers<>();

    private static Peer peer(int host) {
        var neighbour = Neighbour.ofHost(host);
        return new Peer(
                neighbour.at(), neighbour.greeting(neighbour.hello()), 0, host, 1, new ConnectionEnd(1, 1, 1024), 0);
    }

    @Test
    void withoutPeersThereIsNoLargestGroup() {
        assertThat(idle.largest()).isNull();

        Peer peer = peer(1);
        idle.addLast("a", peer);
        idle.remove("a", peer);

        assertThat(idle.largest()).isNull();
        assertThat(idle.first("a")).isNull();
        assertThat(idle.count("a")).isZero();
    }

    @Test
    void aGroupThatShrinksIsTheLargestOnlyWhileItIs() {
        Peer first = peer(1);
        Peer second = peer(2);
        idle.addLast("a", first);
        idle.addLast("a", second);
        idle.addLast("a", peer(3));
        idle.addLast("b", peer(4));
        idle.addLast("b", peer(5));
        assertThat(idle.largest()).isEqualTo("a");

        idle.remove("a", first);
        idle.remove("a", second);

        assertThat(idle.largest()).isEqualTo("b");
    }

    @Test
    void theLastOfEachSizeLeavesNoEmptySize() {
        Peer first = peer(1);
        Peer second = peer(2);
        idle.addLast("a", first);
        idle.addLast("a", second);

        idle.remove("a", first);

        assertThat(idle.largest()).isEqualTo("a");
        assertThat(idle.first("a")).isSameAs(second);
    }

    @Test
    void oneOfTwoGroupsOfEqualSizeLeavesTheOther() {
        Peer first = peer(1);
        idle.addLast("a", first);
        idle.addLast("b", peer(2));

        idle.remove("a", first);

        assertThat(idle.largest()).isEqualTo("b");
    }

    /** An attacker that keeps talking would else shift each eviction to a network that is silent. */
    @Test
    void aGroupThatIsHeardIsEvictedNoLaterThanOthersOfItsSize() {
        Peer loud = peer(1);
        idle.addLast("loud", loud);
        idle.addLast("silent", peer(2));

        idle.addLast("loud", loud);

        assertThat(idle.largest()).isEqualTo("loud");
    }

    @Test
    void aPeerOfAnotherGroupIsNotRemoved() {
        Peer peer = peer(1);
        idle.addLast("a", peer);

        idle.remove("b", peer);
        idle.remove("a", peer(2));

        assertThat(idle.count("a")).isOne();
        assertThat(idle.first("a")).isSameAs(peer);
    }
}
