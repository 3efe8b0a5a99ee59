package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * S14.32: what proves that an incarnation is a peer's own. An attacker at the peer's address has another port, and knows everything
 * but what the home sends to the peer's port.
 */
class IdentityProofTest {
    private static final int PORT = 4791;
    private static final int OTHER_PORT = 40_001;
    private static final int GUESSES = Boolean.getBoolean("urma.full") ? 1_000_000 : 20_000;

    private final LoneContext home = new LoneContext();
    private final Neighbour genuine = Neighbour.ofHost(1).withIncarnation(0x1234_5678_9ABCL << 16 | PORT);
    private final Neighbour copy = genuine.atPort(OTHER_PORT).withTag(6);

    @Test
    void incarnationNamesItsPort() {
        Random random = new Random(1);
        for (int port = 1; port <= 0xFFFF; port += 13) {
            long incarnation = PortIncarnation.next(random, port);

            assertThat(PortIncarnation.isOf(
                            incarnation, new PortAddress(genuine.at().eid(), port)))
                    .isTrue();
            assertThat(PortIncarnation.isOf(
                            incarnation, new PortAddress(genuine.at().eid(), port % 0xFFFF + 1)))
                    .isFalse();
            assertThat(incarnation).isNotZero();
        }
    }

    /** It becomes a peer, like any other, and proves nothing: before the genuine peer, beside it, and after it. */
    @Test
    void copyOfAnIncarnationProvesNothingAtAnotherPort() {
        Peer before = home.peer(copy);
        Peer real = home.peer(genuine);
        Peer again = home.peer(copy.withTag(8).withLife(copy.life() + 1));

        assertThat(before.provesIncarnation()).isFalse();
        assertThat(real.provesIncarnation()).isTrue();
        assertThat(again.provesIncarnation()).isFalse();
        assertThat(real.isLost()).isFalse();
        assertThat(before.incarnation()).isEqualTo(real.incarnation());
    }

    /** The datagram claims the genuine port: the cookie goes there, and the attacker does not see it. */
    @Test
    void forgedPortDrawsTheChallengeToTheGenuinePeer() {
        Neighbour forger = genuine.withTag(6);

        home.hearGreeting(forger, 0, forger.hello());

        assertThat(home.sent).singleElement().satisfies(sent -> {
            assertThat(sent.to()).isEqualTo(genuine.at());
            assertThat(sent.datagram().kind()).isEqualTo(Kind.CHALLENGE);
        });
        assertThat(home.plane.peers()).isEmpty();
    }

    /** A cookie that the attacker earned at its own port is of no use at the genuine one. */
    @Test
    void cookieOfAnotherPortProvesNothing() {
        home.hearGreeting(copy, 0, copy.hello());
        long cookie = home.last().tag();

        home.hearGreeting(genuine.withTag(6), cookie, genuine.hello());

        assertThat(home.last().kind()).isEqualTo(Kind.CHALLENGE);
        assertThat(home.plane.peers()).isEmpty();
    }

    @Test
    void guessedCookiesProveNothingAndLeaveNothing() {
        Random random = new Random(7);
        for (int i = 0; i < GUESSES; i++) {
            home.hearGreeting(genuine.withTag(6), random.nextLong(), genuine.hello());
            home.sent.clear();
        }

        assertThat(home.plane.peers()).isEmpty();
        assertThat(home.greeted).isEmpty();
    }

    /** The greeting of the genuine peer, captured and replayed: by its bytes, and from the attacker's port. */
    @Test
    void replayedGreetingMakesNoOtherPeer() {
        Peer real = home.peer(genuine);
        long cookie = home.sent(Kind.CHALLENGE).getFirst().datagram().tag();

        home.hearGreeting(genuine, cookie, genuine.hello());
        home.hear(
                genuine.atPort(OTHER_PORT),
                Kind.GREET,
                77,
                cookie,
                0,
                genuine.greeting(genuine.hello()).encode());

        assertThat(home.plane.peers()).containsExactly(real);
        assertThat(home.last().kind()).as("at the other port").isEqualTo(Kind.CHALLENGE);
        assertThat(home.sent(Kind.WELCOME)).allMatch(sent -> sent.to().equals(genuine.at()));
    }

    /** What the home sends comes back to it, as if from the genuine peer. */
    @Test
    void reflectedDatagramsOfTheHomeMakeNoPeer() {
        var connecting =
                home.plane.connect(genuine.at(), genuine.incarnation(), home.now + LoneContext.SECOND, home.now);
        home.hearGreeting(genuine.withTag(6), 0, genuine.hello());

        for (LoneContext.Sent sent : List.copyOf(home.sent)) {
            ControlDatagram datagram = sent.datagram();
            for (Kind kind : List.of(Kind.GREET, Kind.CHALLENGE, Kind.WELCOME, Kind.REQUEST, Kind.ANSWER)) {
                home.hear(genuine, kind, datagram.number(), datagram.tag(), 0, datagram.body());
            }
            ByteBuffer unchanged = datagram.encode();
            home.port.received(genuine.at().eid(), unchanged, home.now);
        }

        assertThat(home.greeted).isEmpty();
        assertThat(connecting).isNotDone();
    }

    /** The home greets by a descriptor that names the attacker's port: the attacker can answer, and proves nothing. */
    @Test
    void welcomeFromAnotherPortProvesNothing() {
        var connecting = home.plane.connect(copy.at(), copy.incarnation(), home.now + LoneContext.SECOND, home.now);
        ControlDatagram greeting = home.last();
        Greeting ours;
        try {
            ours = Greeting.decode(greeting.body());
        } catch (ControlFormatException e) {
            throw new AssertionError(e);
        }

        home.hear(
                copy,
                Kind.WELCOME,
                greeting.number(),
                ours.tag(),
                0,
                copy.greeting(copy.hello()).encode());

        assertThat(connecting).isCompleted();
        assertThat(connecting.join().provesIncarnation()).isFalse();
    }
}
