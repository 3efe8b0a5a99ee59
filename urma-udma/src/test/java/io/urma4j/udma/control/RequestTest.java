package io.urma4j.udma.control;

import static io.urma4j.udma.control.LoneContext.EMPTY;
import static io.urma4j.udma.control.LoneContext.MILLI;
import static io.urma4j.udma.control.LoneContext.SECOND;
import static io.urma4j.udma.control.LoneContext.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import io.urma4j.udma.control.LoneContext.Sent;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.QueueBound;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Requests in both directions: their window, their repetition, and their end. */
class RequestTest {
    private static final Neighbour LEFT = Neighbour.ofHost(1);
    private static final int WINDOW = ControlPlane.WINDOW;

    private final LoneContext context = new LoneContext();

    private List<CompletableFuture<PeerMessage>> ask(Peer peer, int requests) {
        List<CompletableFuture<PeerMessage>> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            answers.add(context.ask(peer, SECOND));
        }
        return answers;
    }

    private void answer(Peer peer, long number) {
        context.hearAnswer(LEFT, peer, number, new Core(new Done(number)));
    }

    private static List<Long> fromTo(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    // ---- from this context

    /** The peer ignores what lies beyond its window: the request would only be repeated for nothing. */
    @Test
    void aRequestBeyondTheWindowWaitsForTheFirstAnswer() {
        Peer peer = context.holder(LEFT);

        var _ = ask(peer, WINDOW + 1);
        assertThat(context.numbers(Kind.REQUEST)).isEqualTo(fromTo(1, WINDOW));

        answer(peer, 1);
        assertThat(context.numbers(Kind.REQUEST)).isEqualTo(fromTo(1, WINDOW + 1));
    }

    @Test
    void anAnswerAdmitsAsManyRequestsAsTheWindowMovedAndNoMore() {
        Peer peer = context.holder(LEFT);
        var _ = ask(peer, WINDOW + 3);

        answer(peer, 2);
        assertThat(context.numbers(Kind.REQUEST)).as("1 is unanswered").isEqualTo(fromTo(1, WINDOW));

        answer(peer, 1);
        assertThat(context.numbers(Kind.REQUEST)).as("3 is unanswered").isEqualTo(fromTo(1, WINDOW + 2));
    }

    @Test
    void allRequestsAreSentAfterOneThatWasAnsweredLast() {
        Peer peer = context.holder(LEFT);
        var answers = ask(peer, WINDOW + 3);

        for (long number = WINDOW; number >= 1; number--) {
            answer(peer, number);
        }
        assertThat(context.numbers(Kind.REQUEST)).isEqualTo(fromTo(1, WINDOW + 3));

        for (long number = WINDOW + 1; number <= WINDOW + 3; number++) {
            answer(peer, number);
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompleted());
    }

    @Test
    void aRequestBeyondTheWindowFailsAtItsDeadlineToo() {
        Peer peer = context.holder(LEFT);
        var answers = ask(peer, WINDOW);
        var hasty = context.ask(peer, SECOND / 2);
        var patient = context.ask(peer, SECOND);

        context.pass(SECOND / 2 - 1);
        assertThat(hasty).isNotDone();
        context.pass(1);
        assertThat(LoneContext.failureOf(hasty).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(context.sent(Kind.REQUEST))
                .extracting(one -> one.datagram().number())
                .doesNotContain(WINDOW + 1L);

        answer(peer, 1);
        answer(peer, 2);
        answer(peer, WINDOW + 2);
        assertThat(patient).isCompleted();
        assertThat(answers.getFirst()).isCompleted();
    }

    /** Its grant would belong to no caller. What gives something back is still sent: no caller waits for that. */
    @Test
    void aLateRequestBeyondTheWindowIsSentOnlyIfItGivesSomethingBack() {
        Peer peer = context.holder(LEFT);
        var answers = ask(peer, WINDOW);
        var bind = context.plane.ask(peer, _ -> new BindQueue(1, 2, 1, 3, 1024), context.now + SECOND / 2, context.now);
        var unbind = context.plane.ask(
                peer, number -> new Core(new Unbind(number, 1, 2)), context.now + SECOND / 2, context.now);
        context.pass(SECOND / 2);
        assertThat(failureOf(bind).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(failureOf(unbind).status()).isEqualTo(UrmaStatus.ETIMEOUT);

        answer(peer, 1);
        answer(peer, 2);

        assertThat(answers.get(1)).isCompleted();
        assertThat(context.numbers(Kind.REQUEST)).contains(WINDOW + 2L).doesNotContain(WINDOW + 1L);
    }

    @Test
    void anAnsweredRequestIsNotRetransmitted() {
        Peer peer = context.holder(LEFT);
        var answer = context.ask(peer, SECOND);

        answer(peer, 1);
        context.pass(2 * SECOND);

        assertThat(answer).isCompletedWithValue(new Core(new Done(1)));
        assertThat(context.sent(Kind.REQUEST)).hasSize(1);
    }

    private List<Long> gapsOfTheFirstRequest() {
        List<Sent> first = context.sent(Kind.REQUEST).stream()
                .filter(one -> one.datagram().number() == 1)
                .toList();
        return LoneContext.gapsMillis(first);
    }

    /** There this context is an unknown one as well, and its packets are dropped first. */
    @Test
    void aRequestToAPeerThatHoldsNothingIsRetransmittedTwentyTimesQuickly() {
        Peer peer = context.peer(LEFT);

        var _ = context.ask(peer, 10 * SECOND);
        context.pass(3500 * MILLI);

        assertThat(gapsOfTheFirstRequest().subList(0, 20)).isEqualTo(Collections.nCopies(20, 30L));
        assertThat(gapsOfTheFirstRequest().subList(20, 26)).containsExactly(60L, 120L, 240L, 480L, 960L, 1000L);
    }

    /** A holder's packets are not dropped by preference: silence means that its home is busy. */
    @Test
    void aRequestToAHolderBacksOffAtOnce() {
        Peer peer = context.holder(LEFT);

        var _ = context.ask(peer, 10 * SECOND);
        context.pass(4 * SECOND - 1);

        assertThat(gapsOfTheFirstRequest()).containsExactly(30L, 60L, 120L, 240L, 480L, 960L, 1000L, 1000L);
    }

    @Test
    void aRequestFailsAtItsDeadlineAndNotBefore() {
        Peer peer = context.holder(LEFT);
        var answer = context.ask(peer, 100 * MILLI);

        context.pass(100 * MILLI - 1);
        assertThat(answer).isNotDone();
        context.pass(1);

        assertThat(failureOf(answer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(failureOf(answer)).hasMessageContaining("did not answer Unimport in time");
        assertThat(peer.isLost()).isFalse();
    }

    @Test
    void aRequestToALostPeerFailsAtOnceWithTheReason() {
        Peer peer = context.peer(LEFT);
        context.plane.lose(peer, "for the test");
        int before = context.sent.size();

        var answer = context.ask(peer, SECOND);

        assertThat(failureOf(answer).status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(failureOf(answer)).hasMessageContaining("for the test");
        assertThat(context.sent).hasSize(before);
    }

    /** A home that fails, and calls it success, must not make the caller believe that it has an import. */
    @Test
    void aRefusalThatCallsItselfASuccessIsAFailure() {
        Peer peer = context.holder(LEFT);
        var answer = context.ask(peer, SECOND);

        context.hearAnswer(LEFT, peer, 1, new Core(new Refused(1, UrmaStatus.SUCCESS, "no")));

        assertThat(failureOf(answer).status()).isEqualTo(UrmaStatus.FAIL);
    }

    /** On the same host the death of a process is known before any deadline. */
    @Test
    void aRequestToADeadProcessEndsAtItsNextRetransmission() {
        Peer peer = context.holder(LEFT);
        var answer = context.ask(peer, 10 * SECOND);
        context.dead.add(peer);

        context.pass(30 * MILLI);

        assertThat(failureOf(answer)).hasMessageContaining("its process is dead");
        assertThat(context.lost).containsExactly("its process is dead");
        assertThat(context.sent(Kind.REQUEST)).hasSize(1);
    }

    // ---- whose answers give something

    private CompletableFuture<PeerMessage> obtain(Peer peer, List<PeerMessage> unclaimed) {
        PeerMessage bind = new BindQueue(1, 2, 1, 3, 1024);
        return context.plane.obtain(peer, _ -> bind, context.now + SECOND, context.now, unclaimed::add);
    }

    /** The peer has bound a Jetty, or granted an import, for a caller that has gone on. */
    @Test
    void anAnswerAfterTheDeadlineIsTakenByWhoGivesItBack() {
        Peer peer = context.holder(LEFT);
        List<PeerMessage> unclaimed = new ArrayList<>();
        var bound = obtain(peer, unclaimed);
        context.pass(SECOND);
        assertThat(failureOf(bound).status()).isEqualTo(UrmaStatus.ETIMEOUT);

        context.hearAnswer(LEFT, peer, 1, new QueueBound(5, 1024));
        context.hearAnswer(LEFT, peer, 1, new QueueBound(5, 1024));

        assertThat(unclaimed).containsExactly(new QueueBound(5, 1024));
    }

    /** A peer that owes an answer for ever holds up no request behind it. */
    @Test
    void aRequestThatGivesSomethingEndsAMinuteAfterItsDeadline() {
        Peer peer = context.holder(LEFT);
        var _ = obtain(peer, new ArrayList<>());
        int after = 0;
        for (int second = 1; second <= 75; second++) { // it is no silent peer, which would be lost
            context.hearRequest(LEFT, peer, second, second);
            context.pass(SECOND);
            after = second == 63 ? context.sent(Kind.REQUEST).size() : after;
        }

        assertThat(context.sent(Kind.REQUEST)).hasSize(after);
    }

    /** The answer may have been lost: only the next one tells what the peer has given. */
    @Test
    void aRequestThatGivesSomethingIsRetransmittedUntilItIsAnswered() {
        Peer peer = context.holder(LEFT);
        var _ = obtain(peer, new ArrayList<>());
        context.pass(SECOND);
        int before = context.sent(Kind.REQUEST).size();

        context.pass(2 * SECOND);
        int after = context.sent(Kind.REQUEST).size();
        assertThat(after).isGreaterThan(before);
        context.hearAnswer(LEFT, peer, 1, new QueueBound(5, 1024));
        context.pass(2 * SECOND);

        assertThat(context.sent(Kind.REQUEST)).hasSize(after);
    }

    @Test
    void anAnswerInTimeHasItsCaller() {
        Peer peer = context.holder(LEFT);
        List<PeerMessage> unclaimed = new ArrayList<>();
        var bound = obtain(peer, unclaimed);

        context.hearAnswer(LEFT, peer, 1, new QueueBound(5, 1024));

        assertThat(bound).isCompletedWithValue(new QueueBound(5, 1024));
        assertThat(unclaimed).isEmpty();
    }

    @Test
    void aRequestThatGivesSomethingEndsWithItsPeer() {
        Peer peer = context.holder(LEFT);
        List<PeerMessage> unclaimed = new ArrayList<>();
        var _ = obtain(peer, unclaimed);
        context.pass(SECOND);
        int before = context.sent.size();

        context.plane.lose(peer, "for the test");
        context.pass(10 * SECOND);

        assertThat(context.sent).hasSize(before);
        assertThat(context.plane.timers()).isZero();
        assertThat(unclaimed).isEmpty();
    }

    // ---- from a peer

    /** What is granted then would belong to no caller. */
    @Test
    void aRequestThatThePeerHasGivenUpIsNotAwaited() {
        Peer peer = context.peer(LEFT);
        context.hearRequest(LEFT, peer, 1, 1);
        assertThat(context.plane.isAwaited(peer, 1)).isTrue();

        context.hearRequest(LEFT, peer, 2, 2);

        assertThat(context.plane.isAwaited(peer, 1)).isFalse();
        assertThat(context.plane.isAwaited(peer, 2)).isTrue();
        context.plane.lose(peer, "for the test");
        assertThat(context.plane.isAwaited(peer, 2)).isFalse();
    }

    /** The home keeps an answer for each number in the window: beyond it, a peer could fill the heap. */
    @Test
    void aRequestIsServedAtTheEndOfTheWindowAndNotBehindIt() {
        Peer peer = context.peer(LEFT);

        context.hearRequest(LEFT, peer, WINDOW, 1);
        context.hearRequest(LEFT, peer, WINDOW + 1, 1);

        assertThat(context.requested).containsExactly((long) WINDOW);
        assertThat(context.port.stale()).isOne();
    }

    /** It has its answer already, and an import would be granted twice. */
    @Test
    void aRequestIsServedAtTheFloorAndNotBelowIt() {
        Peer peer = context.peer(LEFT);
        context.hearRequest(LEFT, peer, 4, 3);

        context.hearRequest(LEFT, peer, 2, 1);
        assertThat(context.requested).containsExactly(4L);
        assertThat(context.port.stale()).isOne();

        context.hearRequest(LEFT, peer, 3, 1);
        assertThat(context.requested).containsExactly(4L, 3L);
    }

    @Test
    void aRequestBehindAFullWindowOfAnswersIsServed() {
        Peer peer = context.peer(LEFT);
        for (long number = 1; number <= WINDOW; number++) {
            context.hearRequest(LEFT, peer, number, 1);
            context.plane.answer(peer, number, new Core(new Done(number)));
        }

        context.hearRequest(LEFT, peer, WINDOW + 1, WINDOW + 1);

        assertThat(context.requested).endsWith(WINDOW + 1L);
    }

    /**
     * A line that was cut for some seconds, while the caller asked again and again with short timeouts: none of these requests
     * arrived. The peer would be silent to all later ones, also to pings, and lost with all that it holds.
     */
    @Test
    void aRequestBehindMoreThanAWindowOfLostOnesIsServed() {
        Peer peer = context.peer(LEFT);

        context.hearRequest(LEFT, peer, WINDOW + 2, WINDOW + 2);
        context.hearRequest(LEFT, peer, 1000, 999);

        assertThat(context.requested).containsExactly(WINDOW + 2L, 1000L);
    }

    /** A peer may ask for years. */
    @Test
    void answersThatThePeerHasAreReleased() {
        Peer peer = context.peer(LEFT);
        for (long number = 1; number <= 1000; number++) {
            context.hearRequest(LEFT, peer, number, number);
            context.plane.answer(peer, number, new Core(new Done(number)));
        }

        assertThat(peer.answers).containsOnlyKeys(1000L);
    }

    /** The other half of the connection is gone: the sender must learn it, and greet anew. */
    @Test
    void aRequestWithAnUnknownTagIsAnsweredWithUnknown() {
        Peer peer = context.peer(LEFT);

        context.hear(LEFT, Kind.REQUEST, 7, peer.ownTag + 2, 1, EMPTY);

        assertThat(context.last().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(context.last().number()).isEqualTo(7);
        assertThat(context.last().tag()).isEqualTo(peer.ownTag + 2);
        assertThat(context.last().floor()).as("this context is not gone").isOne();
        assertThat(context.last().body().remaining())
                .as("whose address may be forged")
                .isZero();
        assertThat(context.requested).isEmpty();
    }

    /** A tag belongs to one address, one port and one incarnation. */
    @Test
    void aTagIsWorthNothingFromAnotherSender() {
        Peer peer = context.peer(LEFT);
        var host = new Neighbour(VirtualNet.address(3), LEFT.incarnation(), LEFT.tag(), LEFT.life());

        for (Neighbour other : List.of(host, LEFT.atPort(4792), LEFT.withIncarnation(4711))) {
            context.hearRequest(other, peer, 1, 1);
        }

        assertThat(context.requested).isEmpty();
        assertThat(context.port.stale()).isEqualTo(3);
        context.hearRequest(LEFT, peer, 1, 1);
        assertThat(context.requested).containsExactly(1L);
    }

    /** Its WELCOME was lost and its request came: UNKNOWN would end the peer that it knows already. */
    @Test
    void aRequestOfAPeerThatIsBeingGreetedIsNotAnsweredWithUnknown() {
        var _ = context.plane.connect(LEFT.at(), LEFT.incarnation(), context.now + SECOND, context.now);

        context.hear(LEFT, Kind.REQUEST, 1, 4711, 1, EMPTY);

        assertThat(context.sent(Kind.UNKNOWN)).isEmpty();
    }

    @Test
    void theAnswerToAPeerThatIsLostMeanwhileIsNotSent() {
        Peer peer = context.peer(LEFT);
        context.hearRequest(LEFT, peer, 1, 1);
        context.plane.lose(peer, "for the test");

        context.plane.answer(peer, 1, new Core(new Done(1)));

        assertThat(context.sent(Kind.ANSWER)).isEmpty();
    }

    /** The peer gave up waiting and said so by its floor; an answer kept for it would stay for ever. */
    @Test
    void theAnswerToARequestThatThePeerHasGivenUpIsNeitherSentNorKept() {
        Peer peer = context.peer(LEFT);
        context.hearRequest(LEFT, peer, 1, 1);
        context.hearRequest(LEFT, peer, 2, 2);

        context.plane.answer(peer, 1, new Core(new Done(1)));

        assertThat(context.sent(Kind.ANSWER)).isEmpty();
        assertThat(peer.answers).containsOnlyKeys(2L);
    }

    @Test
    void aRequestWithoutAMessageIsMalformedAndRefused() {
        Peer peer = context.peer(LEFT);

        context.hear(LEFT, Kind.REQUEST, 1, peer.ownTag, 1, EMPTY);

        assertThat(context.port.malformed()).isOne();
        assertThat(context.last().kind()).isEqualTo(Kind.ANSWER);
    }
}
