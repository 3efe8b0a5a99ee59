package io.urma4j.udma.control;

import static io.urma4j.udma.control.LoneContext.EMPTY;
import static io.urma4j.udma.control.LoneContext.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import org.junit.jupiter.api.Test;

/** When a peer is checked, and when it is dropped. */
class PeerLivenessTest {
    private static final Neighbour LEFT = Neighbour.ofHost(1);

    private final LoneContext context = new LoneContext();

    private long pings() {
        return context.sent(Kind.REQUEST).size();
    }

    @Test
    void aHolderIsPingedAfterFourSecondsOfSilenceAndNotBefore() {
        Peer peer = context.holder(LEFT);

        context.pass(4 * SECOND - 1);
        assertThat(pings()).isZero();
        context.pass(1);

        assertThat(pings()).isOne();
        assertThat(peer.isLost()).isFalse();
    }

    /** The first check makes it a holder with a timer of its own, which must start from what was heard since. */
    @Test
    void aHolderThatAnsweredIsPingedAgainFourSecondsAfterItWasHeard() {
        Peer peer = context.holder(LEFT);
        context.pass(4 * SECOND);
        context.hearAnswer(LEFT, peer, 1, new Ping());
        context.pass(SECOND);
        context.hearRequest(LEFT, peer, 1, 1);

        context.pass(4 * SECOND - 1);
        assertThat(pings()).isOne();
        context.pass(1);

        assertThat(pings()).isEqualTo(2);
    }

    @Test
    void aPeerThatHoldsNothingIsDroppedAfterFourSecondsOfSilenceAndNotBefore() {
        Peer peer = context.peer(LEFT);

        context.pass(4 * SECOND - 1);
        assertThat(peer.isLost()).isFalse();
        context.pass(1);

        assertThat(peer.isLost()).isTrue();
        assertThat(context.lost).containsExactly("it was silent, and held nothing");
        assertThat(pings()).isZero();
        assertThat(context.plane.timers()).isZero();
    }

    @Test
    void aHolderThatDoesNotAnswerForTenSecondsIsLost() {
        Peer peer = context.holder(LEFT);

        context.pass(14 * SECOND - 1);
        assertThat(peer.isLost()).isFalse();
        context.pass(1);

        assertThat(peer.isLost()).isTrue();
        assertThat(context.lost).containsExactly("it has not answered for 10 s");
    }

    /** The window is full of requests that the home answers late; the home itself is there, and asks something. */
    @Test
    void aPeerThatIsHeardIsNotLostForAPingThatWaits() {
        Peer peer = context.holder(LEFT);
        for (int i = 0; i < ControlPlane.WINDOW; i++) {
            var _ = context.ask(peer, 60 * SECOND);
        }
        context.pass(4 * SECOND);
        context.pass(9 * SECOND);
        context.hearRequest(LEFT, peer, 1, 1);

        context.pass(4 * SECOND);

        assertThat(peer.isLost()).isFalse();
        context.pass(14 * SECOND);
        assertThat(context.lost).containsExactly("it has not answered for 10 s");
    }

    /** Packets of its connection are not acknowledged: the caller should not have to wait for the silence. */
    @Test
    void aDoubtedPeerIsPingedAtOnceAndOnlyOnceAtATime() throws Exception {
        Peer peer = context.holder(LEFT);

        context.plane.doubt(peer, context.now);
        context.plane.doubt(peer, context.now);
        assertThat(pings()).isOne();
        assertThat(MessageCodec.decode(context.last().body())).isEqualTo(new Ping());

        context.hearAnswer(LEFT, peer, 1, new Ping());
        context.plane.doubt(peer, context.now);
        assertThat(pings()).isEqualTo(2);
    }

    @Test
    void aDoubtedPeerWhoseProcessIsDeadIsLostAtOnce() {
        Peer peer = context.holder(LEFT);
        context.dead.add(peer);

        context.plane.doubt(peer, context.now);

        assertThat(context.lost).containsExactly("its process is dead");
        assertThat(pings()).isZero();
    }

    /** Of two queues with a peer each may find it silent, the second after the first has ended it. */
    @Test
    void aLostPeerIsNotDoubted() {
        Peer peer = context.holder(LEFT);
        context.plane.lose(peer, "for the test");
        context.dead.add(peer);

        context.plane.doubt(peer, context.now);

        assertThat(context.lost).hasSize(1);
        assertThat(pings()).isZero();
        assertThat(peer.pinging).isFalse();
    }

    /** Each report releases what the peer holds: the second would release another's. */
    @Test
    void thePeerIsReportedLostOnce() {
        Peer peer = context.holder(LEFT);

        context.plane.lose(peer, "first");
        context.plane.lose(peer, "second");

        assertThat(context.lost).containsExactly("first");
        assertThat(peer.whyLost()).isEqualTo("first");
    }

    /** A home that meets and loses peers for years would otherwise collect their timers. */
    @Test
    void aLostHolderLeavesNoTimer() {
        Peer peer = context.holder(LEFT);
        context.pass(4 * SECOND);
        context.hearAnswer(LEFT, peer, 1, new Ping());
        assertThat(context.plane.timers()).isOne();

        context.plane.lose(peer, "for the test");

        assertThat(context.plane.timers()).isZero();
    }

    /** UNKNOWN repeats the tag by which the peer is addressed: a forger that has not seen it ends no connection. */
    @Test
    void anUnknownWithoutThePeersTagIsNotBelieved() {
        Peer peer = context.peer(LEFT);

        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag() + 2, 0, EMPTY);

        assertThat(peer.isLost()).isFalse();
        assertThat(context.port.stale()).isOne();
    }

    /** Nothing hung on it, so that the caller can greet it anew and repeat its request. */
    @Test
    void aPeerThatHeldNothingAndDoesNotKnowThisContextHasEvictedIt() {
        Peer peer = context.peer(LEFT);

        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag(), 0, EMPTY);

        assertThat(peer.isLost()).isTrue();
        assertThat(peer.hasEvictedUs()).isTrue();
    }

    @Test
    void aHolderThatDoesNotKnowThisContextIsGone() {
        Peer peer = context.holder(LEFT);

        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag(), 0, EMPTY);

        assertThat(peer.isLost()).isTrue();
        assertThat(peer.hasEvictedUs()).as("requests must not be repeated").isFalse();
    }

    /** S14.32: it need not have used the window yet, and may be idle until it does. */
    @Test
    void aPeerWithAGrantIsPingedAndNotDropped() {
        Peer peer = context.peer(LEFT);
        context.granted.add(peer);

        context.pass(4 * SECOND);
        context.hearAnswer(LEFT, peer, 1, new Ping());
        context.pass(4 * SECOND);

        assertThat(pings()).isEqualTo(2);
        assertThat(peer.isLost()).isFalse();
        context.pass(10 * SECOND);
        assertThat(context.lost).containsExactly("it has not answered for 10 s");
        assertThat(peer.isGone()).isTrue();
    }

    /** A peer with a grant, which has dropped this context and says so when it is pinged. */
    private Peer peerWithAGrantThatDroppedThisContext() {
        Peer peer = context.peer(LEFT);
        context.granted.add(peer);
        context.pass(4 * SECOND);
        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag(), 1, EMPTY);
        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag(), 1, EMPTY); // to a retransmission
        return peer;
    }

    /** S14.32: it lives, and holds nothing of this context, as long as it is idle. */
    @Test
    void aPeerWithAGrantThatDroppedThisContextIsPingedOn() {
        Peer peer = peerWithAGrantThatDroppedThisContext();

        context.pass(4 * SECOND);
        assertThat(pings()).isEqualTo(2);
        assertThat(peer.isLost()).isFalse();
        context.pass(10 * SECOND);

        assertThat(context.lost).containsExactly("it has not answered for 10 s");
        assertThat(peer.isGone()).isTrue();
        assertThat(context.plane.timers()).isZero();
    }

    /** S14.32: the port of its process lives on. */
    @Test
    void aPeerWithAGrantThatDroppedThisContextAndClosesIsGone() {
        Peer peer = peerWithAGrantThatDroppedThisContext();
        context.pass(4 * SECOND);

        context.hear(LEFT, Kind.UNKNOWN, 2, LEFT.tag(), 0, EMPTY);

        assertThat(peer.isGone()).isTrue();
    }

    @Test
    void aPeerWithAGrantThatDroppedThisContextIsGreetedBeforeTheNextRequest() {
        Peer peer = peerWithAGrantThatDroppedThisContext();

        var _ = context.plane.connect(LEFT.at(), LEFT.incarnation(), context.now + SECOND, context.now);

        assertThat(context.last().kind()).isEqualTo(Kind.GREET);
        assertThat(peer.isLost()).isTrue();
        assertThat(peer.isGone()).isFalse();
    }

    /** The caller greets it anew: a request with the old tag would be refused again. */
    @Test
    void aRequestToAPeerWithAGrantThatDroppedThisContextFails() {
        Peer peer = context.peer(LEFT);
        context.granted.add(peer);
        context.pass(4 * SECOND);
        var answer = context.ask(peer, 60 * SECOND);

        context.hear(LEFT, Kind.UNKNOWN, 2, LEFT.tag(), 1, EMPTY);

        assertThat(answer).isCompletedExceptionally();
        assertThat(peer.hasEvictedUs()).isTrue();
        assertThat(peer.isGone()).isFalse();
    }

    @Test
    void anIdlePeerThatIsDroppedIsNotGone() {
        Peer peer = context.peer(LEFT);

        context.pass(4 * SECOND);

        assertThat(peer.isLost()).isTrue();
        assertThat(peer.isGone()).isFalse();
    }

    @Test
    void anEvictedPeerIsNotGone() {
        Peer peer = context.peer(processOfOneHost(0));
        for (int i = 1; i <= PeerTable.MAX_IDLE_OF_A_NETWORK; i++) {
            context.peer(processOfOneHost(i));
        }

        assertThat(peer.isLost()).isTrue();
        assertThat(peer.isGone()).isFalse();
    }

    /** It has dropped this context, which was idle, and needs it again. */
    @Test
    void aPeerThatGreetsAgainIsNotGone() {
        Peer before = context.peer(LEFT);

        Peer again = context.peer(LEFT.withTag(LEFT.tag() + 2).withLife(LEFT.life() + 1));

        assertThat(before.isLost()).isTrue();
        assertThat(before.isGone()).isFalse();
        assertThat(again.isLost()).isFalse();
    }

    @Test
    void aPeerThatIsGreetedAgainIsNotGone() {
        Peer peer = context.peer(LEFT);
        context.pass(3 * SECOND);

        var _ = context.plane.connect(LEFT.at(), LEFT.incarnation(), context.now + SECOND, context.now);

        assertThat(peer.isLost()).isTrue();
        assertThat(peer.isGone()).isFalse();
    }

    /** A context that lives says that it merely does not know the tag; without that it may not exist any more. */
    @Test
    void onlyAnUnknownOfAContextThatDoesNotExistProvesThatThePeerIsGone() {
        Peer dropped = context.peer(LEFT);
        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag(), 1, EMPTY);
        Peer gone = context.peer(LEFT.withTag(LEFT.tag() + 2).withLife(LEFT.life() + 1));
        context.hear(LEFT, Kind.UNKNOWN, 1, LEFT.tag() + 2, 0, EMPTY);

        assertThat(dropped.isLost()).isTrue();
        assertThat(dropped.isGone()).isFalse();
        assertThat(gone.isGone()).isTrue();
    }

    @Test
    void aPeerThatSaidGoodbyeIsGone() {
        Peer peer = context.peer(LEFT);

        context.hear(LEFT, Kind.REQUEST, 1, peer.ownTag, 1, MessageCodec.encode(new Core(new Goodbye("closed"))));

        assertThat(peer.isGone()).isTrue();
    }

    private static Neighbour processOfOneHost(long number) {
        return new Neighbour(
                new PortAddress(VirtualNet.address(3).eid(), (int) (5000 + number)), 5000 + number, 2 * number, 1);
    }

    /** The processes of one host are one network: importers must not cost a newcomer beside them its place. */
    @Test
    void holdersThatWereCheckedTakeNoPlaceOfPeersThatHoldNothing() {
        int holders = PeerTable.MAX_IDLE_OF_A_NETWORK - 1;
        for (int i = 0; i < holders; i++) {
            context.holder(processOfOneHost(i));
        }
        context.pass(4 * SECOND);
        for (int i = 0; i < holders; i++) {
            context.hearAnswer(processOfOneHost(i), context.greeted.get(i), 1, new Ping());
        }

        Peer newcomer = context.peer(processOfOneHost(holders));
        context.peer(processOfOneHost(holders + 1));

        assertThat(newcomer.isLost()).isFalse();
        assertThat(context.lost).isEmpty();
    }
}
