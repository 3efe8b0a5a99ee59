package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §6: the lives of queues. */
public abstract class StatesContract extends Contract {
    protected StatesContract(String device) {
        super(device);
    }

    /** S6.1: RM queues start in READY. */
    @Rule("S6.1")
    @Test
    void rmQueuesAreBornReady() {
        var jetty = pair.initiator()
                .asHome()
                .jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());

        assertThat(pair.initiator().queue().jfs().state()).isEqualTo(QueueState.READY);
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
        assertThat(jetty.receiveState()).isEqualTo(ReceiveState.READY);
    }

    /** S6.1, S6.4: an RC Jetty starts in RESET, takes receives, refuses sends; bind makes it READY. */
    @Rule({"S6.1", "S6.4"})
    @Test
    void rcJettyIsBornInResetAndReadyWhenBound() {
        var here = (LocalHomeQueue) pair.initiator().asHome().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        var buffer = pair.initiator().asHome().segment(4096, Access.READ_WRITE);
        var queue = here.sendSide();

        assertThat(here.state()).isEqualTo(QueueState.RESET);
        assertThat(here.receive(buffer, 0, 64, 1)).isTrue();
        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().send(null, queue.scratch(), 0, 8, 0))
                .hasMessageContaining("RESET");

        here.bind(there.shared());
        there.bind(here.shared());
        assertThat(here.state()).isEqualTo(QueueState.READY);
        assertThat(there.send(here.shared(), new byte[] {1, 2, 3}).isSuccess()).isTrue();
        assertThat(here.next()).returns(1L, Outcome::userContext).returns(3L, Outcome::lengthBytes);
    }

    /** S6.2: legal moves of a send queue. */
    @Rule("S6.2")
    @Test
    void sendQueueMakesTheLegalMoves() {
        var jfs = pair.initiator().queue(JfsConfig.DEFAULT).jfs();

        for (QueueState next : List.of(
                QueueState.READY, // staying is no move
                QueueState.SUSPENDED,
                QueueState.SUSPENDED,
                QueueState.READY,
                QueueState.SUSPENDED,
                QueueState.ERROR,
                QueueState.ERROR)) {
            jfs.modify(next);
            assertThat(jfs.state()).isEqualTo(next);
        }
    }

    /** S6.2: ERROR goes to RESET once drained and flushed, and from there to READY. */
    @Rule({"S6.2", "S6.13"})
    @Test
    void drainedSendQueueLivesAgain() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().modify(QueueState.ERROR);
        queue.drainAndFlush();

        queue.jfs().modify(QueueState.RESET);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
        queue.jfs().modify(QueueState.READY);

        new Payload(1).fill(queue.scratch().memory(), 0, 0, 64);
        assertThat(queue.write(imported.remote(), 0, queue.scratch(), 0, 64).isSuccess())
                .isTrue();
        assertThat(imported.home().firstDifference(new Payload(1), 0, 0, 64)).isEqualTo(-1);
    }

    /** S6.2: all other moves are refused, naming both states. */
    @Rule("S6.2")
    @ParameterizedTest
    @CsvSource({"READY,RESET", "SUSPENDED,RESET", "ERROR,READY", "ERROR,SUSPENDED"})
    void sendQueueRefusesOtherMoves(QueueState from, QueueState to) {
        var jfs = pair.initiator().queue(JfsConfig.DEFAULT).jfs();
        jfs.modify(from);

        assertRefused(UrmaStatus.EINVAL, () -> jfs.modify(to))
                .hasMessageContaining(from.name())
                .hasMessageContaining(to.name());
        assertThat(jfs.state()).isEqualTo(from);
    }

    /** S6.2: RESET goes to READY alone. */
    @Rule("S6.2")
    @ParameterizedTest
    @EnumSource(
            value = QueueState.class,
            names = {"SUSPENDED", "ERROR"})
    void sendQueueInResetGoesToReadyAlone(QueueState to) {
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().modify(QueueState.ERROR);
        queue.drainAndFlush();
        queue.jfs().modify(QueueState.RESET);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().modify(to))
                .hasMessageContaining("RESET")
                .hasMessageContaining(to.name());
        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
    }

    /** S6.2: what is held in ERROR must be flushed before the queue is reset. */
    @Rule({"S6.2", "S2.2"})
    @Test
    void queueThatHoldsWorkIsNotReset() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().modify(QueueState.ERROR);
        queue.untilDrained();
        queue.postWrites(imported.remote(), 2);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().modify(QueueState.RESET))
                .hasMessageContaining("flushed");

        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
        assertThat(queue.jfs().flushAll()).extracting(Completion::userContext).containsExactly(0L, 1L);
        queue.jfs().modify(QueueState.RESET);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
    }

    /** S6.2: an RC Jetty leaves RESET only by bind. */
    @Rule("S6.2")
    @ParameterizedTest
    @EnumSource(value = QueueState.class, names = "RESET", mode = EnumSource.Mode.EXCLUDE)
    void unboundRcJettyIsMovedNowhere(QueueState to) {
        var jetty = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.EINVAL, () -> jetty.modify(to)).hasMessageContaining("RESET");
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
    }

    /** S6.2: moves of a JFR. */
    @Rule("S6.2")
    @Test
    void receiveQueueMakesItsLegalMovesAndNoOthers() {
        var jfr = pair.home().receiver();

        jfr.modifyReceive(ReceiveState.RESET);
        assertRefused(UrmaStatus.EINVAL, () -> jfr.modifyReceive(ReceiveState.ERROR))
                .hasMessageContaining("RESET")
                .hasMessageContaining("ERROR");
        jfr.modifyReceive(ReceiveState.READY);
        jfr.modifyReceive(ReceiveState.ERROR);
        assertRefused(UrmaStatus.EINVAL, () -> jfr.modifyReceive(ReceiveState.READY));
        jfr.modifyReceive(ReceiveState.RESET);
        jfr.modifyReceive(ReceiveState.RESET);

        assertThat(jfr.receiveState()).isEqualTo(ReceiveState.RESET);
    }

    /** S6.3: unbind ends in RESET, and the peer's messages no longer arrive. */
    @Rule("S6.3")
    @Test
    void unbindEndsInReset() {
        var connection = pair.connection();

        connection.here().unbind();

        assertThat(connection.here().state()).isEqualTo(QueueState.RESET);
        assertRefused(UrmaStatus.EINVAL, () -> connection.here().unbind());
        assertRefused(
                UrmaStatus.EINVAL,
                () -> connection.queue().jfs().send(null, connection.queue().scratch(), 0, 8, 0));
    }

    /** S6.3: unbind is legal in SUSPENDED and in a drained ERROR. */
    @Rule("S6.3")
    @ParameterizedTest
    @EnumSource(
            value = QueueState.class,
            names = {"SUSPENDED", "ERROR"})
    void unbindIsLegalFrom(QueueState state) {
        var connection = pair.connection();
        connection.here().modify(state);
        if (state == QueueState.ERROR) {
            connection.queue().drainAndFlush();
        }

        connection.here().unbind();

        assertThat(connection.here().state()).isEqualTo(QueueState.RESET);
    }

    /** S6.2, S6.3: an RC Jetty in ERROR that has not drained is neither unbound nor reset. */
    @Rule({"S6.2", "S6.3", "S2.2"})
    @Test
    void undrainedRcJettyIsNeitherUnboundNorReset() {
        var context = pair.initiator().context();
        var imported = pair.imported(4096);
        var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(4));
        var receives = context.createJfc(JfcConfig.DEFAULT);
        var jetty = context.createJetty(jfc, context.createJfr(receives, Pair.RC_RECEIVE), Pair.RC_SEND);
        var queue = new SendSide(context, jfc, jetty.jfs());
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        jetty.bind(context.importJetty(there.shared()));
        there.bind(new SharedJetty(jetty.descriptor(), jetty.token()));
        queue.postWrites(imported.remote(), jfc.depth()); // whose records leave the marker no room
        jetty.modify(QueueState.ERROR);

        assertRefused(UrmaStatus.EINVAL, jetty::unbind).hasMessageContaining("drained");
        assertRefused(UrmaStatus.EINVAL, () -> jetty.modify(QueueState.RESET)).hasMessageContaining("drained");
        assertThat(jetty.state()).isEqualTo(QueueState.ERROR);
        assertThat(jetty.boundTarget()).isPresent();

        queue.drainAndFlush();
        jetty.unbind();
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
    }

    /** S6.2, S6.3: a bound Jetty that holds work cannot be reset, and stays bound; after a flush it can. */
    @Rule({"S6.2", "S6.3", "S2.2"})
    @Test
    void boundJettyThatHoldsWorkIsNotReset() {
        var imported = pair.imported(4096);
        var connection = pair.connection();
        var jetty = ((LocalHomeQueue) connection.here()).jetty();
        jetty.modify(QueueState.ERROR);
        connection.queue().untilDrained();
        connection.queue().postWrites(imported.remote(), 2);

        assertRefused(UrmaStatus.EINVAL, () -> jetty.modify(QueueState.RESET)).hasMessageContaining("flushed");

        assertThat(jetty.state()).isEqualTo(QueueState.ERROR);
        assertThat(jetty.boundTarget()).isPresent();
        assertThat(jetty.jfs().flushAll()).extracting(Completion::userContext).containsExactly(0L, 1L);
        jetty.modify(QueueState.RESET);
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        assertThat(jetty.boundTarget()).isEmpty();
    }

    /** S6.3, S6.8: work in flight when a Jetty is unbound drains, and has one result each. */
    @Rule({"S6.3", "S6.8"})
    @ParameterizedTest
    @EnumSource(
            value = QueueState.class,
            names = {"READY", "SUSPENDED"})
    void unbindDrainsWhatIsUnderWay(QueueState from) {
        var connection = pair.connection();
        var queue = connection.queue();
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(null, queue.scratch(), 0, 8, i); // wait for receives
        }
        connection.here().modify(from);

        ((LocalHomeQueue) connection.here()).jetty().unbind();

        assertThat(connection.here().state()).isEqualTo(QueueState.RESET);
        List<Long> ended = queue.within(Patience.WATCH).stream()
                .filter(outcome -> !outcome.status().isMarker())
                .map(Outcome::userContext)
                .toList();
        List<Long> waited = queue.jfs().flushAll().stream() // perhaps earlier ones, which were refused and wait again
                .map(Completion::userContext)
                .toList();
        assertThat(ended).isSorted();
        assertThat(waited).isSorted();
        assertThat(Stream.concat(ended.stream(), waited.stream())).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
    }

    /** S6.3: the same by its send half. */
    @Rule("S6.3")
    @Test
    void resetOfTheSendHalfOfAnRcJettyUnbindsIt() {
        var connection = pair.connection();
        var jetty = ((LocalHomeQueue) connection.here()).jetty();
        jetty.modify(QueueState.ERROR);
        connection.queue().drainAndFlush();

        jetty.jfs().modify(QueueState.RESET);

        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        assertThat(jetty.boundTarget()).isEmpty();
    }

    /** S6.3: {@code modify(RESET)} of an RC Jetty unbinds it. */
    @Rule("S6.3")
    @Test
    void resetOfAnRcJettyUnbindsIt() {
        var connection = pair.connection();
        connection.here().modify(QueueState.ERROR);
        connection.queue().drainAndFlush();

        connection.here().modify(QueueState.RESET);

        assertThat(connection.here().state()).isEqualTo(QueueState.RESET);
        assertRefused(UrmaStatus.EINVAL, () -> connection.here().unbind()).hasMessageContaining("not bound");
    }

    /** S6.4: a suspended queue accepts and holds; back in READY it executes in order. */
    @Rule("S6.4")
    @Test
    void suspendedQueueHoldsItsWork() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        new Payload(2).fill(queue.scratch().memory(), 0, 0, 8);
        queue.suspend();

        queue.postWrites(imported.remote(), 3);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(imported.home().isZero(0, 4096)).isTrue();

        queue.jfs().modify(QueueState.READY);
        assertThat(queue.awaitCompletions(3)).extracting(Outcome::userContext).containsExactly(0L, 1L, 2L);
        assertThat(imported.home().firstDifference(new Payload(2), 16, 0, 8)).isEqualTo(-1);
    }

    /** S6.4, S6.8: work posted in ERROR changes nothing, and flush returns it as never started. */
    @Rule({"S6.4", "S6.7", "S6.8"})
    @Test
    void workPostedInErrorComesBackFromFlush() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        new Payload(3).fill(queue.scratch().memory(), 0, 0, 8);
        queue.jfs().modify(QueueState.ERROR);
        queue.untilDrained();

        queue.postWrites(imported.remote(), 3);

        assertThat(queue.jfs().flushAll())
                .allMatch(c -> c.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(Completion::userContext)
                .containsExactly(0L, 1L, 2L);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** S6.5: to a JFR in RESET a message finds no receive work request. */
    @Rule({"S6.5", "S12.1"})
    @Test
    void receiveQueueInResetIsNotReady() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 0);
        receiver.queue().modifyReceive(ReceiveState.RESET);
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(1).build());

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S6.5: a JFR in RESET that becomes READY takes the message that waited. */
    @Rule("S6.5")
    @Test
    void messageWaitsUntilTheReceiveQueueIsReady() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 4);
        receiver.queue().modifyReceive(ReceiveState.RESET);
        var queue = pair.initiator().queue();
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1);
        assertThat(queue.within(Patience.WATCH)).isEmpty();

        receiver.queue().modifyReceive(ReceiveState.READY);

        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        assertThat(receiver.queue().next().userContext()).isEqualTo(4);
    }

    /** S6.5: a JFR in ERROR refuses messages. */
    @Rule("S6.5")
    @Test
    void receiveQueueInErrorRefusesMessages() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 0);
        receiver.queue().modifyReceive(ReceiveState.ERROR);
        var queue = pair.initiator()
                .queue(JfsConfig.builder().timeout(Duration.ofSeconds(2)).build());

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).status())
                .isIn(CompletionStatus.REM_OPERATION_ERR, CompletionStatus.ACK_TIMEOUT_ERR);
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S6.5: a suspended Jetty still receives. */
    @Rule("S6.5")
    @Test
    void suspendedJettyReceives() {
        var receiver = pair.imported(
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build()), 4096);
        receiver.receive(1, 64, 6);
        receiver.queue().modify(QueueState.SUSPENDED);
        var queue = pair.initiator().queue();

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next().userContext()).isEqualTo(6);
    }

    /** S6.6: a fatal completion leads to ERROR, to a record with that status, and to an event. */
    @Rule({"S6.6", "S6.13", "S2.3"})
    @Test
    void fatalCompletionLeadsToError() {
        var revoked = pair.importedAndRevoked(4096);
        var queue = pair.initiator().queue();
        queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 17);

        var outcomes = queue.untilDrained();

        assertThat(outcomes.getFirst())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(17L, Outcome::userContext);
        assertThat(outcomes).filteredOn(Outcome::lastOfErrorDrain).hasSize(1);
        assertThat(outcomes).filteredOn(o -> o.status().isMarker()).allMatch(o -> o.userContext() == 0);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
        AsyncEvent event = pair.initiator().awaitEvent(AsyncEvent.Type.JFS_ERR);
        assertThat(event.source()).isSameAs(queue.jfs());
        assertThat(event.object()).isEqualTo(queue.jfs().toString());
        assertThat(event.status()).contains(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S6.6, S2.3: for a Jetty the event names the Jetty. */
    @Rule({"S6.6", "S2.3"})
    @Test
    void fatalCompletionOfAJettyIsAnEventOfTheJetty() {
        var revoked = pair.importedAndRevoked(4096);
        var jetty = (LocalHomeQueue) pair.initiator()
                .asHome()
                .jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var queue = jetty.sendSide();

        queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 1);
        queue.untilDrained();

        assertThat(jetty.state()).isEqualTo(QueueState.ERROR);
        AsyncEvent event = pair.initiator().awaitEvent(AsyncEvent.Type.JETTY_ERR);
        assertThat(event.source()).isSameAs(jetty.jetty());
        assertThat(event.status()).contains(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S11.5: no work request failed, so that there is no status to report. */
    @Rule({"S6.6", "S11.5"})
    @Test
    void anErrorThatWasAskedForIsAnEventWithoutAStatus() {
        var queue = pair.initiator().queue();

        queue.jfs().modify(QueueState.ERROR);

        AsyncEvent event = pair.initiator().awaitEvent(AsyncEvent.Type.JFS_ERR);
        assertThat(event.source()).isSameAs(queue.jfs());
        assertThat(event.status()).isEmpty();
    }

    /** S6.6: {@code modify(ERROR)} drains, too, and completed work keeps its result. */
    @Rule("S6.6")
    @Test
    void moveToErrorDrainsAndKeepsEarlierResults() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), 5);

        queue.jfs().modify(QueueState.ERROR);

        var results = queue.drainAndFlush();
        assertThat(results)
                .extracting(SendSide.Result::userContext)
                .containsExactlyElementsOf(LongStream.range(0, 5).boxed().toList());
        assertThat(results)
                .extracting(SendSide.Result::status)
                .isSubsetOf(CompletionStatus.SUCCESS, CompletionStatus.WR_FLUSH_ERR, CompletionStatus.WR_UNHANDLED);
    }

    /** S6.7: before the drain's last record is polled, flush returns nothing. */
    @Rule("S6.7")
    @Test
    void flushHasNothingBeforeTheMarker() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(queue.jfs().flush(new CompletionBatch(4))).isZero(); // READY
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i); // wait for receives
        }

        queue.jfs().modify(QueueState.ERROR);
        assertThat(queue.jfs().flush(new CompletionBatch(4)))
                .as("before the marker was polled")
                .isZero();
        var results = queue.drainAndFlush();

        assertThat(results).extracting(SendSide.Result::userContext).containsExactly(0L, 1L, 2L, 3L);
        assertThat(results)
                .extracting(SendSide.Result::status)
                .isSubsetOf(CompletionStatus.WR_FLUSH_ERR, CompletionStatus.WR_UNHANDLED);
        assertThat(queue.jfs().flush(new CompletionBatch(4))).isZero();
    }

    /** S6.7, S6.4: not even work posted in ERROR. */
    @Rule({"S6.7", "S6.4"})
    @Test
    void workPostedInErrorComesBackBehindTheMarker() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().modify(QueueState.ERROR);
        queue.postWrites(imported.remote(), 3);

        assertThat(queue.drainThenFlush())
                .allMatch(r -> r.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(SendSide.Result::userContext)
                .containsExactly(0L, 1L, 2L);
    }

    /** S6.8: each WR behind a failed one gets exactly one result, in order. */
    @Rule("S6.8")
    @Test
    void writesBehindAFailedOneHaveOneResultEachInOrder() {
        var revoked = pair.importedAndRevoked(4096);
        var queue = pair.initiator().queue();
        queue.suspend(); // so that all three are there when the first fails
        queue.postWrites(revoked, 3);

        queue.jfs().modify(QueueState.READY);

        assertThat(queue.awaitCompletion())
                .returns(0L, Outcome::userContext)
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status);
        var rest = queue.jfs().state() == QueueState.ERROR ? queue.drainAndFlush() : List.<SendSide.Result>of();
        assertThat(rest)
                .allMatch(
                        r -> r.status() == CompletionStatus.WR_FLUSH_ERR || r.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(SendSide.Result::userContext)
                .containsExactly(1L, 2L);
    }

    /** S6.8: work that was never started has changed no byte. */
    @Rule("S6.8")
    @Test
    void writeBehindAFailedOneMovesNoByteWhenUnhandled() {
        var revoked = pair.importedAndRevoked(4096);
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, 64);
        queue.suspend();
        queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 0);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 64, 1);

        queue.jfs().modify(QueueState.READY);
        queue.awaitCompletion();

        assertThat(queue.drainAndFlush())
                .extracting(SendSide.Result::status)
                .containsExactly(CompletionStatus.WR_UNHANDLED);
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** S6.9: receives stay when a Jetty that shares the JFR fails. */
    @Rule("S6.9")
    @Test
    void receivesStayWhenAJettyOfTheJfrFails() {
        var first = pair.imported(
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build()), 4096);
        var second = pair.imported(pair.home().jettySharing(first.queue(), JfsConfig.DEFAULT), 4096);
        first.receive(1, 64, 21);

        first.queue().modify(QueueState.ERROR);

        assertThat(pair.initiator()
                        .queue()
                        .send(second.target(), pair.initiator().queue().scratch(), 0, 8)
                        .isSuccess())
                .isTrue();
        assertThat(first.queue().within(Duration.ofSeconds(1)))
                .filteredOn(Outcome::receive)
                .extracting(Outcome::userContext)
                .containsExactly(21L);
    }

    /** S6.13: after ERROR, RESET, READY no result of the old life appears. */
    @Rule("S6.13")
    @Test
    void noResultOfTheOldLifeAppearsInTheNew() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        for (int i = 0; i < 4; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 100 + i);
        }
        queue.jfs().modify(QueueState.ERROR);
        queue.drainAndFlush();
        queue.jfs().modify(QueueState.RESET);
        queue.jfs().modify(QueueState.READY);

        receiver.receive(6, 64, 0);
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).userContext())
                .isEqualTo(16);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(receiver.queue().within(Patience.WATCH))
                .filteredOn(o -> o.lengthBytes() == 16)
                .hasSize(1);
    }

    /** S6.13, S6.2: it can be reset when every record of its old life is polled, including the marker. */
    @Rule({"S6.13", "S6.2", "S2.2"})
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void queueIsNotResetBeforeItsRecordsArePolled(int writes) {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), writes);
        Patience.await("the records", () -> queue.jfc().counters().get("unpolled") == writes);
        queue.jfs().modify(QueueState.ERROR);
        Patience.await("the marker", () -> queue.jfc().counters().get("unpolled") == writes + 1);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().modify(QueueState.RESET))
                .hasMessageContaining("polled");
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);

        assertThat(queue.untilDrained()).hasSize(writes + 1);
        queue.jfs().modify(QueueState.RESET);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
    }

    /** S6.13, S6.3: unbind returns when it is done, so no marker follows; but its records may still be unpolled. */
    @Rule({"S6.13", "S6.3", "S2.2"})
    @Test
    void jettyIsNotBoundAnewBeforeTheRecordsOfItsOldLifeArePolled() {
        var imported = pair.imported(4096);
        var connection = pair.connection();
        var queue = connection.queue();
        queue.postWrites(imported.remote(), 2);
        Patience.await("the records", () -> queue.jfc().counters().get("unpolled") == 2);
        connection.here().unbind();
        connection.there().unbind();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> connection.here().bind(connection.there().shared()))
                .hasMessageContaining("polled");

        assertThat(queue.within(Patience.WATCH))
                .extracting(Outcome::userContext)
                .containsExactly(0L, 1L);
        connection.here().bind(connection.there().shared());
        assertThat(connection.here().state()).isEqualTo(QueueState.READY);
    }

    /** S6.6: an error of one queue does not affect another. */
    @Rule("S6.6")
    @Test
    void errorOfOneQueueIsNoneOfAnothers() {
        var imported = pair.imported(4096);
        var revoked = pair.importedAndRevoked(4096);
        var failing = pair.initiator().queue(JfsConfig.DEFAULT);
        var other = pair.initiator().queue(JfsConfig.DEFAULT);

        assertThat(failing.write(revoked, 0, failing.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);

        assertThat(other.write(imported.remote(), 0, other.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(other.jfs().state()).isEqualTo(QueueState.READY);
    }
}
