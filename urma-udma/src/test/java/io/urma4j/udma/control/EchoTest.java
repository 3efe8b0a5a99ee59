package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.EchoClient.Reply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Echoes at QP 1: who asks whether anybody is there, honestly or not. */
class EchoTest {
    private static final PortAddress HOME = new PortAddress(Eid.ofIpv4(0x0A00_0001), 4791);
    private static final Eid ASKER = Eid.ofIpv4(0x0A00_0002);
    private static final int ASKER_PORT = 40_000;
    private static final long NOW = 1_000_000_000_000L;
    private static final int TO_AT = 24; // its lowest byte: docs of ControlDatagram

    private record Sent(PortAddress to, ByteBuffer datagram) {}

    private final List<Sent> sent = new ArrayList<>();
    private final ControlPort home =
            new ControlPort(HOME, (to, datagram) -> sent.add(new Sent(to, datagram)), new byte[32]);

    private EchoClient client(int bytes) {
        return new EchoClient(ASKER_PORT, bytes, new Random(1));
    }

    /** What the home sends in return. */
    private ByteBuffer ask(Eid source, ByteBuffer datagram, long nowNanos) {
        sent.clear();
        home.received(source, datagram, nowNanos);
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().to()).isEqualTo(new PortAddress(source, ASKER_PORT));
        return sent.getFirst().datagram();
    }

    private ByteBuffer again(EchoClient client, ByteBuffer challenge, long nowNanos) {
        Reply reply = client.received(challenge, nowNanos);
        assertThat(reply).isInstanceOf(Reply.Again.class);
        return ((Reply.Again) reply).datagram();
    }

    @Test
    void theFirstEchoTakesACookieAndThoseAfterItNone() {
        EchoClient client = client(56);
        ByteBuffer challenge = ask(ASKER, client.ask(1, NOW), NOW + 5);
        ByteBuffer answer = ask(ASKER, again(client, challenge, NOW + 10), NOW + 15);

        assertThat(client.received(answer, NOW + 30)).isEqualTo(new Reply.Answer(1, 20));

        ByteBuffer second = ask(ASKER, client.ask(2, NOW + 100), NOW + 105);
        assertThat(client.received(second, NOW + 107)).isEqualTo(new Reply.Answer(2, 7));
        assertThat(home.echoed()).isEqualTo(2);
        assertThat(client.waiting()).isZero();
    }

    @Test
    void aCookieThatHasGrownOldIsReplaced() {
        EchoClient client = client(0);
        again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW);
        long later = NOW + 70_000_000_000L;

        ByteBuffer challenge = ask(ASKER, client.ask(2, later), later);
        ByteBuffer answer = ask(ASKER, again(client, challenge, later), later);

        assertThat(client.received(answer, later + 9)).isEqualTo(new Reply.Answer(2, 9));
    }

    /** A forged source draws fewer bytes than it cost, and leaves nothing; also when it repeats another's cookie. */
    @Test
    void aForgedSourceIsNotAmplifiedNorEchoed() {
        EchoClient honest = client(0);
        ByteBuffer withCookie = again(honest, ask(ASKER, honest.ask(1, NOW), NOW), NOW);
        for (int i = 0; i < 10_000; i++) {
            Eid victim = Eid.ofIpv4(0x0B00_0000 + i);
            ByteBuffer forged =
                    i % 2 == 0 ? withCookie.duplicate() : client(i % 969).ask(1, NOW);
            int cost = forged.remaining();

            ByteBuffer drawn = ask(victim, forged, NOW);

            assertThat(drawn.remaining())
                    .isEqualTo(ControlDatagram.HEADER_BYTES)
                    .isLessThanOrEqualTo(cost);
        }
        assertThat(home.echoed()).isZero();
    }

    @Test
    void anAnswerIsAsLongAsTheEcho() {
        for (int bytes : new int[] {0, 1, 56, EchoClient.MAX_BODY_BYTES}) {
            EchoClient client = client(bytes);
            ByteBuffer echo = again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW);
            int length = echo.remaining();

            assertThat(ask(ASKER, echo, NOW).remaining()).isEqualTo(length).isEqualTo(56 + bytes);
        }
    }

    /** No answer of ours is itself answered: two ports cannot be made to talk to each other for ever. */
    @Test
    void answersAreNotAnswered() {
        for (Kind kind : List.of(Kind.ECHOED, Kind.CHALLENGE)) {
            home.received(ASKER, new ControlDatagram(kind, 4791, 1, 0, 7, 7, 0, ByteBuffer.allocate(8)).encode(), NOW);
        }

        assertThat(sent).isEmpty();
        assertThat(home.stale()).isEqualTo(2);
    }

    @Test
    void anAnswerThatWasNotAskedForIsNone() {
        EchoClient client = client(8);
        ByteBuffer echo = again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW);
        ByteBuffer answer = ask(ASKER, echo, NOW);
        byte[] spoilt = new byte[answer.remaining()];
        answer.get(0, spoilt);
        spoilt[spoilt.length - 1] ^= 1;

        assertThat(client.received(ByteBuffer.wrap(spoilt), NOW))
                .as("another body")
                .isNull();
        assertThat(new EchoClient(ASKER_PORT, 8, new Random(2)).received(answer.duplicate(), NOW))
                .as("of another session")
                .isNull();
        assertThat(client.received(answer.duplicate(), NOW + 3)).isEqualTo(new Reply.Answer(1, 3));
        assertThat(client.received(answer.duplicate(), NOW + 4)).as("doubled").isNull();
    }

    /** Two clients of one host share a port: the number alone could be a guess of the other's. */
    @Test
    void anAnswerToAnotherSessionIsNotTaken() {
        EchoClient client = client(8);
        ByteBuffer answer = ask(ASKER, again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW), NOW);
        ByteBuffer other =
                ByteBuffer.allocate(answer.remaining()).put(answer.duplicate()).flip();
        other.put(TO_AT, (byte) (other.get(TO_AT) ^ 1));

        assertThat(client.received(other, NOW)).isNull();
        assertThat(client.received(answer, NOW)).isEqualTo(new Reply.Answer(1, 0));
    }

    /** A home that returns a buffer of zeroes, or one byte shifted, must not look like one that echoes. */
    @Test
    void noTwoNeighbouringBytesOfAnEchoAreEqual() {
        ByteBuffer echo = client(64).ask(1, NOW);

        ControlDatagram datagram = ControlDatagram.decode(echo);

        assertThat(datagram).isNotNull();
        for (int i = 1; i < 64; i++) {
            assertThat(datagram.body().get(i)).isNotEqualTo(datagram.body().get(i - 1));
        }
    }

    @Test
    void aHomeThatWantsCookieAfterCookieIsNotFollowed() {
        EchoClient client = client(0);
        ByteBuffer echo = client.ask(1, NOW);
        ByteBuffer challenge = ask(ASKER, echo, NOW);

        assertThat(client.received(challenge.duplicate(), NOW)).isNotNull();
        assertThat(client.received(challenge.duplicate(), NOW)).isNotNull();
        assertThat(client.received(challenge.duplicate(), NOW)).isNotNull();
        assertThat(client.received(challenge.duplicate(), NOW)).isNull();
    }

    @Test
    void whatIsGivenUpIsNotAnsweredAnyMore() {
        EchoClient client = client(0);
        ByteBuffer answer = ask(ASKER, again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW), NOW);

        assertThat(client.giveUp(1)).isTrue();
        assertThat(client.giveUp(1)).isFalse();
        assertThat(client.received(answer, NOW)).isNull();
    }

    /** Whatever arrives at either end: nothing is thrown. */
    @Test
    void hostileBytesHarmNobody() {
        long seed = Long.getLong("urma.seed", 11);
        System.out.println("hostile echoes: -Durma.seed=" + seed);
        var random = new Random(seed);
        EchoClient client = client(56);
        ByteBuffer echo = again(client, ask(ASKER, client.ask(1, NOW), NOW), NOW);
        ByteBuffer answer = ask(ASKER, echo.duplicate(), NOW);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[echo.remaining()];
            (random.nextBoolean() ? echo : answer).get(0, bytes);
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            ByteBuffer hostile = ByteBuffer.wrap(bytes, 0, 1 + random.nextInt(bytes.length));
            home.received(ASKER, hostile.duplicate(), NOW);
            client.received(hostile, NOW);
        }

        EchoClient next = new EchoClient(ASKER_PORT, 56, random);
        ByteBuffer last = ask(ASKER, again(next, ask(ASKER, next.ask(1, NOW), NOW), NOW), NOW);
        assertThat(next.received(last, NOW + 1)).isEqualTo(new Reply.Answer(1, 1));
    }
}
