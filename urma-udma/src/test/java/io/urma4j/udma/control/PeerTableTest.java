package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.control.LoneContext.Neighbour;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Each limit of the table at its last place: one peer fewer has room, one more has none, and the peer to evict is of the
 * group that is full.
 */
class PeerTableTest {
    private static final PortAddress PORT = VirtualNet.address(1);
    private static final int OF_A_PORT = PeerTable.MAX_PEERS_OF_A_PORT;
    private static final int OF_A_NETWORK = PeerTable.MAX_PEERS_OF_A_NETWORK;
    private static final int IDLE_OF_A_NETWORK = PeerTable.MAX_IDLE_OF_A_NETWORK;

    private final Set<Peer> holders = new HashSet<>();
    private final PeerTable table = new PeerTable(holders::contains);
    private long incarnations;

    private Peer idle(PortAddress at) {
        long incarnation = ++incarnations;
        var neighbour = new Neighbour(at, incarnation, 2 * incarnation, 1);
        Peer peer = new Peer(
                at,
                neighbour.greeting(neighbour.hello()),
                0,
                3 * incarnation,
                incarnation,
                new ConnectionEnd(1, 1, 1024),
                0);
        table.add(peer);
        return peer;
    }

    private Peer holder(PortAddress at) {
        Peer peer = idle(at);
        holders.add(peer);
        table.isHolder(peer);
        return peer;
    }

    /** Another port of a host. */
    private static PortAddress port(int host, int number) {
        return new PortAddress(VirtualNet.address(host).eid(), 5000 + number);
    }

    private void holders(int host, int count) {
        for (int i = 0; i < count; i++) {
            holder(port(host, i));
        }
    }

    private void idle(int host, int count) {
        for (int i = 0; i < count; i++) {
            idle(port(host, i));
        }
    }

    // ---- a port

    @Test
    void aPortHasRoomForItsLastPeerAndForNoFurther() {
        for (int i = 0; i < OF_A_PORT - 1; i++) {
            holder(PORT);
        }
        assertThat(table.hasRoomFor(PORT)).isTrue();

        holder(PORT);

        assertThat(table.hasRoomFor(PORT)).isFalse();
        assertThat(table.givesWayTo(PORT)).as("all hold something").isNull();
        assertThat(table.hasRoomFor(port(1, 7))).as("another port of the host").isTrue();
    }

    /** Peers of other ports of the host do not pay for it, however long they are silent. */
    @Test
    void onAFullPortAPeerOfThisPortGivesWay() {
        Peer otherPort = idle(port(1, 7));
        for (int i = 0; i < OF_A_PORT - 2; i++) {
            holder(PORT);
        }
        Peer first = idle(PORT);
        assertThat(table.givesWayTo(PORT)).as("there is one place").isNull();

        idle(PORT);

        assertThat(table.givesWayTo(PORT)).isSameAs(first).isNotSameAs(otherPort);
    }

    // ---- a network

    @Test
    void aNetworkHasRoomForItsLastPeerAndForNoFurther() {
        holders(1, OF_A_NETWORK - 1);
        assertThat(table.hasRoomFor(PORT)).isTrue();

        holder(port(1, OF_A_NETWORK));

        assertThat(table.hasRoomFor(PORT)).isFalse();
        assertThat(table.hasRoomFor(VirtualNet.address(2)))
                .as("another network")
                .isTrue();
    }

    @Test
    void inAFullNetworkAPeerOfThisNetworkGivesWay() {
        idle(VirtualNet.address(2));
        holders(1, OF_A_NETWORK - 2);
        Peer first = idle(PORT);
        assertThat(table.givesWayTo(PORT)).as("there is one place").isNull();

        holder(port(1, OF_A_NETWORK));

        assertThat(table.givesWayTo(PORT)).isSameAs(first);
    }

    @Test
    void aNetworkHasRoomForItsLastPeerThatHoldsNothingAndForNoFurther() {
        Peer first = idle(PORT);
        idle(1, IDLE_OF_A_NETWORK - 2);
        assertThat(table.hasRoomFor(PORT)).isTrue();
        assertThat(table.givesWayTo(PORT)).isNull();

        idle(port(1, IDLE_OF_A_NETWORK));

        assertThat(table.hasRoomFor(PORT)).isFalse();
        assertThat(table.givesWayTo(PORT)).isSameAs(first);
    }

    // ---- the table

    @Test
    void theTableHasRoomForItsLastPeerAndForNoFurther() {
        holders(1, OF_A_NETWORK);
        holders(2, PeerTable.MAX_PEERS - OF_A_NETWORK - 2);
        Peer idle = idle(VirtualNet.address(4));
        PortAddress newcomer = VirtualNet.address(3);
        assertThat(table.hasRoomFor(newcomer)).isTrue();
        assertThat(table.givesWayTo(newcomer)).isNull();

        holder(VirtualNet.address(5));

        assertThat(table.all()).hasSize(PeerTable.MAX_PEERS);
        assertThat(table.hasRoomFor(newcomer)).isFalse();
        assertThat(table.givesWayTo(newcomer)).isSameAs(idle);
    }

    @Test
    void theTableHasRoomForItsLastPeerThatHoldsNothingAndForNoFurther() {
        Peer alone = idle(VirtualNet.address(9));
        for (int host = 1; host <= 4; host++) {
            idle(host, IDLE_OF_A_NETWORK - 1);
        }
        idle(5, 2);
        PortAddress newcomer = VirtualNet.address(3);
        assertThat(table.hasRoomFor(newcomer)).isTrue();
        assertThat(table.givesWayTo(newcomer)).isNull();

        idle(port(5, 2));

        assertThat(table.hasRoomFor(newcomer)).isFalse();
        assertThat(table.givesWayTo(VirtualNet.address(6)))
                .as("one of the largest networks")
                .isNotNull()
                .isNotSameAs(alone)
                .extracting(Peer::address)
                .isEqualTo(port(1, 0));
    }

    // ---- which of them

    /** It has just greeted again, or asked for something. */
    @Test
    void aPeerThatWasHeardIsEvictedAfterThoseThatWereSilentSince() {
        Peer first = idle(PORT);
        Peer second = idle(port(1, 1));

        table.heard(first, 5);

        assertThat(table.longestIdle()).isSameAs(second);
    }

    /** A holder that was heard is none of the idle ones for that. */
    @Test
    void aHolderThatIsHeardStaysOne() {
        Peer peer = holder(PORT);

        table.heard(peer, 5);

        assertThat(table.longestIdle()).isNull();
    }

    @Test
    void aHolderThatReleasedAllCanBeEvictedAgain() {
        Peer peer = holder(PORT);
        assertThat(table.longestIdle()).isNull();

        table.isIdle(peer);

        assertThat(table.longestIdle()).isSameAs(peer);
    }

    /** A check is no sign of life. */
    @Test
    void aPeerThatWasOnlyCheckedKeepsItsPlaceAmongTheSilent() {
        Peer first = idle(PORT);
        idle(port(1, 1));

        table.isIdle(first);

        assertThat(table.longestIdle()).isSameAs(first);
    }

    /** Else a host that comes and goes would be locked out after some thousand times. */
    @Test
    void aPeerThatIsRemovedLeavesItsPlaceInEachLimit() {
        for (int i = 0; i < OF_A_PORT; i++) {
            holder(PORT);
        }
        holders(1, OF_A_NETWORK - OF_A_PORT);

        for (Peer peer : table.all()) {
            table.remove(peer);
            table.remove(peer);
            assertThat(table.byTag(peer.ownTag)).isNull();
        }

        assertThat(table.all()).isEmpty();
        for (int i = 0; i < OF_A_PORT - 1; i++) {
            holder(PORT);
        }
        assertThat(table.hasRoomFor(PORT)).isTrue();
        holder(PORT);
        assertThat(table.hasRoomFor(PORT)).isFalse();
    }
}
