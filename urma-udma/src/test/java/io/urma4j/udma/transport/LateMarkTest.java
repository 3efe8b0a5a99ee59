package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packets that waited in a host: the answer says so, and its round trip is no sign of a congested network. */
class LateMarkTest {
    private static final long MS = 1_000_000;
    private static final int ROUNDS = 6;

    // ---- the responder

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anAnswerTellsAnUrma4jPeerThatItsRequestHasWaited(Peer peer) {
        RequestsByHand by = new RequestsByHand(peer);
        by.inbox.post(4);
        boolean isTold = peer != Peer.FOREIGN;
        for (Packet request : new Packet[] {
            by.packet(0, Opcodes.SEND_ONLY, 8), by.read(1, 0, 8, Region.KEY), by.write(2, Opcodes.WRITE_ONLY, 8, 8, 99)
        }) {
            by.responder.receive(request, true);
            assertThat(by.answers()).isNotEmpty();
            assertThat(by.responder.sent).allMatch(packet -> Bth.isLate(packet.bytes()) == isTold);
        }
        by.answers(by.packet(3, Opcodes.SEND_ONLY, 8));
        assertThat(by.responder.sent).as("in time").isNotEmpty().noneMatch(packet -> Bth.isLate(packet.bytes()));
    }

    // ---- the requester

    private interface Acknowledging {
        void acknowledges(AnswersByHand by, int psn);
    }

    private static void inItsOwnPacket(AnswersByHand by, int psn) {
        by.acknowledges(psn, psn + 1);
    }

    private static void along(AnswersByHand by, int psn) {
        by.acknowledgesAlong(psn, psn, psn + 1);
    }

    /** A round trip takes a millisecond at first, and then ten. */
    private static long windowAfterDelays(AnswersByHand by, boolean saysLate, boolean isLate, Acknowledging peer) {
        by.requester.inbox(Pair.LEFT, 64).post(2 * ROUNDS);
        by.requester.inbox(RequestsByHand.TARGET, 64).post(2 * ROUNDS);
        for (int psn = 0; psn <= ROUNDS; psn++) {
            by.out.write(8, 0);
            assertThat(by.sends()).contains(psn);
            by.pair.now += psn == 0 ? MS : 10 * MS;
            by.saysLate = saysLate && psn > 0;
            by.isLate = isLate && psn > 0;
            peer.acknowledges(by, psn);
        }
        assertThat(by.out.statuses()).hasSize(ROUNDS + 1);
        Map<String, Long> counters = new HashMap<>();
        by.requester.connection.forEachCounter(counters::put);
        return counters.get("window");
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aDelayOfTheNetworkMakesTheWindowSmaller(Peer peer) {
        assertThat(windowAfterDelays(new AnswersByHand(peer), false, false, LateMarkTest::inItsOwnPacket))
                .isLessThan(CongestionControl.INITIAL_WINDOW_PACKETS);
        if (peer != Peer.FOREIGN) {
            assertThat(windowAfterDelays(new AnswersByHand(peer), false, false, LateMarkTest::along))
                    .isLessThan(CongestionControl.INITIAL_WINDOW_PACKETS);
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aDelayOfThisHostLeavesTheWindowAsItIs(Peer peer) {
        assertThat(windowAfterDelays(new AnswersByHand(peer), false, true, LateMarkTest::inItsOwnPacket))
                .isEqualTo(CongestionControl.INITIAL_WINDOW_PACKETS);
        if (peer != Peer.FOREIGN) {
            assertThat(windowAfterDelays(new AnswersByHand(peer), false, true, LateMarkTest::along))
                    .isEqualTo(CongestionControl.INITIAL_WINDOW_PACKETS);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"URMA4J", "SHARED"})
    void aDelayThatAnUrma4jPeerTellsOfLeavesTheWindowAsItIs(Peer peer) {
        assertThat(windowAfterDelays(new AnswersByHand(peer), true, false, LateMarkTest::inItsOwnPacket))
                .isEqualTo(CongestionControl.INITIAL_WINDOW_PACKETS);
        assertThat(windowAfterDelays(new AnswersByHand(peer), true, false, LateMarkTest::along))
                .isEqualTo(CongestionControl.INITIAL_WINDOW_PACKETS);
    }

    /** To others the bit means nothing. */
    @ParameterizedTest
    @EnumSource(names = "FOREIGN")
    void theMarkOfAForeignPeerCountsForNothing(Peer peer) {
        assertThat(windowAfterDelays(new AnswersByHand(peer), true, false, LateMarkTest::inItsOwnPacket))
                .isLessThan(CongestionControl.INITIAL_WINDOW_PACKETS);
    }
}
