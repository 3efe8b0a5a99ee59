package io.urma4j.udma.control;

import static io.urma4j.udma.control.LoneContext.EMPTY;
import static io.urma4j.udma.control.LoneContext.MILLI;
import static io.urma4j.udma.control.LoneContext.SECOND;
import static io.urma4j.udma.control.LoneContext.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A context that greets a home: when it repeats itself, when it gives up, and which answers it believes. */
class OutgoingGreetingTest {
    private static final Neighbour HOME = Neighbour.ofHost(1);

    private final LoneContext context = new LoneContext();

    private CompletableFuture<Peer> connect(long withinNanos) {
        return context.plane.connect(HOME.at(), HOME.incarnation(), context.now + withinNanos, context.now);
    }

    /** The home's answer to the last greeting, as it would be without any fault. */
    private void welcome(Neighbour home, Hello hello) throws ControlFormatException {
        ControlDatagram greeting = context.last();
        assertThat(greeting.kind()).isEqualTo(Kind.GREET);
        long tag = Greeting.decode(greeting.body()).tag();
        context.hear(
                home,
                Kind.WELCOME,
                greeting.number(),
                tag,
                0,
                home.greeting(hello).encode());
    }

    private Peer connected() throws ControlFormatException {
        var peer = connect(SECOND);
        welcome(HOME, HOME.hello());
        assertThat(peer).isCompleted();
        return peer.join();
    }

    /** A home under attack drops most packets of unknown peers: a newcomer that backs off at once would wait for seconds. */
    @Test
    void aGreetingIsRetransmittedTwentyTimesQuicklyAndThenAtGrowingIntervals() {
        var _ = connect(60 * SECOND);

        context.pass(6 * SECOND);

        var gaps = LoneContext.gapsMillis(context.sent(Kind.GREET));
        assertThat(gaps.subList(0, 20)).isEqualTo(Collections.nCopies(20, 30L));
        assertThat(gaps.subList(20, 28)).containsExactly(60L, 120L, 240L, 480L, 960L, 1000L, 1000L, 1000L);
    }

    @Test
    void aGreetingFailsAtItsDeadlineAndNotBefore() {
        var peer = connect(100 * MILLI);

        context.pass(100 * MILLI - 1);
        assertThat(peer).isNotDone();
        context.pass(1);

        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(context.plane.timers()).isZero();
    }

    @Test
    void eachImportFromAHomeWaitsAsLongAsItWasTold() throws Exception {
        var first = connect(100 * MILLI);
        var patient = connect(SECOND);
        var last = connect(200 * MILLI);

        context.pass(150 * MILLI);
        assertThat(failureOf(first).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(patient).isNotDone();
        assertThat(last).isNotDone();
        context.pass(100 * MILLI);
        assertThat(failureOf(last).status()).isEqualTo(UrmaStatus.ETIMEOUT);

        welcome(HOME, HOME.hello());

        assertThat(patient).isCompleted();
    }

    /** A home may be alive and silent for long, and be asked again and again. */
    @Test
    void anImportThatHasGivenUpLeavesNothingWithTheGreeting() {
        var patient = connect(60 * SECOND);
        var hasty = new WeakReference<>(connect(100 * MILLI));

        context.pass(200 * MILLI);

        await().until(() -> {
            System.gc();
            return hasty.refersTo(null);
        });
        assertThat(patient).isNotDone();
    }

    /** Its timeout may be shorter than the interval that has grown meanwhile. */
    @Test
    void aFurtherImportHasTheGreetingRetransmittedAsQuicklyAsTheFirst() {
        var _ = connect(60 * SECOND);
        context.pass(10 * SECOND);
        context.sent.clear();

        var _ = connect(SECOND);
        context.pass(140 * MILLI);
        var _ = connect(SECOND);
        context.pass(SECOND);

        var gaps = LoneContext.gapsMillis(context.sent(Kind.GREET));
        assertThat(gaps.subList(0, 20)).isEqualTo(Collections.nCopies(20, 30L));
    }

    /** A host that does not see the greeting does not know its number; it could replace the cookie by a useless one. */
    @Test
    void aChallengeWithAnotherNumberDoesNotReplaceTheCookie() {
        var _ = connect(SECOND);
        long number = context.last().number();

        context.hear(HOME, Kind.CHALLENGE, number + 1, 4711, 0, EMPTY);
        assertThat(context.sent).hasSize(1);
        assertThat(context.port.stale()).isOne();

        context.hear(HOME, Kind.CHALLENGE, number, 4712, 0, EMPTY);
        assertThat(context.sent).hasSize(2);
        assertThat(context.last().tag()).isEqualTo(4712);
    }

    /** Else two ends of a network that doubles packets would double their greetings with each. */
    @Test
    void aDoubledChallengeIsAnsweredOnce() {
        var _ = connect(SECOND);
        long number = context.last().number();

        context.hear(HOME, Kind.CHALLENGE, number, 4712, 0, EMPTY);
        context.hear(HOME, Kind.CHALLENGE, number, 4712, 0, EMPTY);

        assertThat(context.sent).hasSize(2);
    }

    @Test
    void aWelcomeWithoutTheTagOfTheGreetingIsNotBelieved() throws Exception {
        var peer = connect(SECOND);
        ControlDatagram greeting = context.last();
        long tag = Greeting.decode(greeting.body()).tag();

        context.hear(
                HOME,
                Kind.WELCOME,
                greeting.number(),
                tag + 2,
                0,
                HOME.greeting(HOME.hello()).encode());

        assertThat(peer).isNotDone();
        assertThat(context.plane.peers()).isEmpty();
    }

    @Test
    void aWelcomeInAnotherMajorVersionEndsTheGreetingWithTheReason() throws Exception {
        var peer = connect(SECOND);
        Hello own = HOME.hello();

        welcome(HOME, new Hello(9, 0, 0, 0, own.eid(), 1, own.incarnation(), 0, "pid 1"));

        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.FAIL);
        assertThat(failureOf(peer)).hasMessageContaining("speaks control protocol 9.0 and its caller 1.1");
        assertThat(context.plane.peers()).isEmpty();
    }

    /** S12.5: the descriptor names one life of a context; its memory must not be reached in another. */
    @Test
    void aWelcomeOfAnotherIncarnationEndsTheGreeting() throws Exception {
        var peer = connect(SECOND);

        welcome(HOME, HOME.withIncarnation(HOME.incarnation() + 1).hello());

        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.ENOPERM);
        assertThat(failureOf(peer)).hasMessageContaining("another incarnation");
        assertThat(context.plane.peers()).isEmpty();
    }

    @Test
    void anUnknownWithAnotherNumberDoesNotEndTheGreeting() {
        var peer = connect(SECOND);
        long number = context.last().number();

        context.hear(HOME, Kind.UNKNOWN, number + 1, 0, 0, EMPTY);
        assertThat(peer).isNotDone();
        assertThat(context.port.stale()).isOne();

        context.hear(HOME, Kind.UNKNOWN, number, 0, 0, EMPTY);
        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
    }

    /** Under two seconds of silence the home cannot have dropped this context, which it does after four. */
    @Test
    void aKnownPeerIsGreetedAnewFromTwoSecondsOfSilenceOn() throws Exception {
        Peer peer = connected();
        int before = context.sent.size();

        context.pass(2 * SECOND - 1);
        assertThat(connect(SECOND)).isCompletedWithValue(peer);
        assertThat(context.sent).as("no greeting for a peer that is known").hasSize(before);

        context.pass(1);
        assertThat(connect(SECOND)).isNotDone();
        assertThat(peer.isLost()).as("the peer as it was known").isTrue();
        assertThat(context.lost).singleElement().asString().contains("may have evicted this context");
        welcome(HOME.withTag(HOME.tag() + 2), HOME.hello());
        assertThat(context.plane.peers()).hasSize(1).doesNotContain(peer);
    }

    /** It would lose its imports. Whether it still answers is for pings to find out. */
    @Test
    void aSilentPeerThatHoldsSomethingIsNotGreetedAnew() throws Exception {
        Peer peer = connected();
        context.holders.add(peer);

        context.pass(3 * SECOND);

        assertThat(connect(SECOND)).isCompletedWithValue(peer);
        assertThat(context.lost).isEmpty();
    }

    @Test
    void aClosedContextGreetsNoHome() {
        context.plane.close();

        var peer = connect(SECOND);

        assertThat(failureOf(peer).status()).isEqualTo(UrmaStatus.EINVAL);
        assertThat(failureOf(peer)).hasMessageContaining("is closed");
        assertThat(context.sent).isEmpty();
    }
}
