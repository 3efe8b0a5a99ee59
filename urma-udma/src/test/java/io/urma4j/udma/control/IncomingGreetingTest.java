package io.urma4j.udma.control;

import static io.urma4j.udma.control.LoneContext.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import io.urma4j.udma.control.PeerMessage.Core;
import org.junit.jupiter.api.Test;

/** A context that is greeted: whose greeting counts, and which of two. */
class IncomingGreetingTest {
    private static final Neighbour LEFT = Neighbour.ofHost(1);
    private static final Neighbour RIGHT = Neighbour.ofHost(3);

    private final LoneContext context = new LoneContext();

    /** A greeting can be delayed by the network; the peer that came after it would lose all that it holds. */
    @Test
    void aDelayedGreetingOfAnEarlierLifeDoesNotReplaceThePeer() {
        Peer peer = context.peer(LEFT);

        context.greetedBy(LEFT.withTag(4).withLife(LEFT.life()));
        context.greetedBy(LEFT.withTag(6).withLife(LEFT.life() - 1));

        assertThat(context.plane.peers()).containsExactly(peer);
        assertThat(context.lost).isEmpty();
        assertThat(context.port.stale()).isEqualTo(2);
    }

    @Test
    void aGreetingOfALaterLifeReplacesThePeer() {
        Peer peer = context.peer(LEFT);

        Peer next = context.peer(LEFT.withTag(4).withLife(LEFT.life() + 1));

        assertThat(context.plane.peers()).containsExactly(next);
        assertThat(peer.isLost()).isTrue();
        assertThat(context.lost).containsExactly("it evicted this context, and greets again");
    }

    /** The first WELCOME was lost: the peer must not be another one, whose secret would differ. */
    @Test
    void aRepeatedGreetingIsWelcomedAgainAndStaysTheSamePeer() {
        Peer peer = context.peer(LEFT);

        context.greetedBy(LEFT);

        assertThat(context.sent(Kind.WELCOME)).hasSize(2);
        assertThat(context.plane.peers()).containsExactly(peer);
        assertThat(context.greeted).hasSize(1);
    }

    @Test
    void aContextThatSaysGoodbyeRefusesNewPeersWithTheReason() throws Exception {
        context.peer(LEFT);
        var _ = context.plane.sayGoodbye("done", context.now + SECOND, context.now);

        context.greetedBy(RIGHT);

        assertThat(context.last().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(MessageCodec.decode(context.last().body()))
                .isEqualTo(new Core(new Refused(0, UrmaStatus.ENOPERM, "the context is being closed")));
        assertThat(context.plane.peers()).hasSize(1);
    }

    // ---- before the context sees it

    /** A cookie is made for the sender in the header: it would prove the address of another one. */
    @Test
    void aGreetingWhoseSenderIsNotThatOfItsDatagramIsMalformed() {
        context.hearGreeting(LEFT, 0, LEFT.withIncarnation(4711).hello());

        assertThat(context.sent).isEmpty();
        assertThat(context.port.malformed()).isOne();
    }

    @Test
    void aGreetingForAnotherContextThanItsDatagramIsMalformed() {
        Hello own = LEFT.hello();

        context.hearGreeting(
                LEFT,
                0,
                new Hello(own.major(), 0, 0, 0, own.eid(), 1, own.incarnation(), LoneContext.INCARNATION + 1, "pid 1"));

        assertThat(context.sent).isEmpty();
        assertThat(context.port.malformed()).isOne();
    }

    /** UDP reserves port 0: no answer can be sent there. */
    @Test
    void aGreetingFromPortZeroIsMalformed() {
        context.hearGreeting(LEFT.atPort(0), 0, LEFT.hello());

        assertThat(context.sent).isEmpty();
        assertThat(context.port.malformed()).isOne();
    }
}
