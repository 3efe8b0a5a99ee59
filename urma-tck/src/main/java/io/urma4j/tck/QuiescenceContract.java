package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Completion;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.Quiesced;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** SEMANTICS §6, S6.11: how to end all work requests of a queue. */
public abstract class QuiescenceContract extends Contract {
    private static final Duration QUIESCENCE = Patience.stretched(Duration.ofSeconds(5));

    protected QuiescenceContract(String device) {
        super(device);
    }

    /** S6.11: each unfinished work request is returned once, in order, and no record of one follows. */
    @Rule({"S6.11", "S6.8"})
    @Test
    void quiesceReturnsEachUnfinishedWorkRequestOnce() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        for (int i = 0; i < 6; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }

        Quiesced quiesced = queue.jfs().quiesce(QUIESCENCE);

        assertThat(quiesced.results())
                .allMatch(
                        c -> c.status() == CompletionStatus.WR_FLUSH_ERR || c.status() == CompletionStatus.WR_UNHANDLED)
                .extracting(Completion::userContext)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(quiesced.mayHaveBeenExecuted().size()
                        + quiesced.neverStarted().size())
                .isEqualTo(6);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(queue.jfs().flushAll()).isEmpty();
    }

    /** S6.11: work that was never started is reported as such, and has changed nothing. */
    @Rule({"S6.11", "S6.8"})
    @Test
    void quiesceTellsWhatWasNeverStarted() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        new Payload(3).fill(queue.scratch().memory(), 0, 0, 8);
        queue.suspend();
        queue.postWrites(imported.remote(), 3);

        Quiesced quiesced = queue.jfs().quiesce(QUIESCENCE);

        assertThat(quiesced.mayHaveBeenExecuted()).isEmpty();
        assertThat(quiesced.neverStarted()).extracting(Completion::userContext).containsExactly(0L, 1L, 2L);
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** S6.11: requests sent to a silent peer may have been executed. */
    @Rule("S6.11")
    @Test
    void quiesceTellsWhatMayHaveBeenExecuted() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        Quiesced quiesced;

        processOfHome().stop();
        try {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1);
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 2);
            quiesced = queue.jfs().quiesce(QUIESCENCE);
        } finally {
            processOfHome().proceed();
        }

        assertThat(quiesced.mayHaveBeenExecuted())
                .allMatch(c -> c.status() == CompletionStatus.WR_FLUSH_ERR)
                .extracting(Completion::userContext)
                .containsExactly(1L, 2L);
        assertThat(quiesced.neverStarted()).isEmpty();
    }

    /** S6.11: requests with a record are finished; unsignalled successes make no record. */
    @Rule({"S6.11", "S8.5"})
    @Test
    void quiesceLeavesRecordsWhereTheyAre() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 1, PostFlags.UNSIGNALLED);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 2);
        Patience.await("the record", () -> queue.jfc().counters().get("unpolled") == 1);

        assertThat(queue.jfs().quiesce(QUIESCENCE).results()).isEmpty();

        assertThat(queue.within(Patience.WATCH))
                .filteredOn(o -> !o.status().isMarker())
                .extracting(Outcome::userContext)
                .containsExactly(2L);
    }

    /** S6.11, S6.13: the queue can be reset at once, and used again. */
    @Rule({"S6.11", "S6.13", "S6.2"})
    @Test
    void quiescedQueueLivesAgain() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build(), JfcConfig.DEFAULT);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < queue.jfs().depth(); i++) {
                assertThat(queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i))
                        .isTrue();
            }
            assertThat(queue.jfs().quiesce(QUIESCENCE).results())
                    .hasSize(queue.jfs().depth());
            assertThat(queue.jfs().quiesce(QUIESCENCE).results()).isEmpty();
            queue.jfs().modify(QueueState.RESET);
            queue.jfs().modify(QueueState.READY);
        }

        receiver.receive(40, 64, 0); // more than what may still lie in the ring
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();
    }

    /** S6.11, S6.8: work posted behind a quiesced queue has its own result, with its own user context. */
    @Rule({"S6.11", "S6.8", "S6.4"})
    @Test
    void recordsOfAQuiescedQueueKeepTheirUserContexts() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build(), JfcConfig.DEFAULT);
        queue.postWrites(imported.remote(), 6);
        Patience.await("the records", () -> queue.jfc().counters().get("unpolled") == 6);
        assertThat(queue.jfs().quiesce(QUIESCENCE).results()).isEmpty();

        int held = 0;
        while (held < queue.jfs().depth()
                && queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 100 + held)) {
            held++;
        }

        assertThat(queue.within(Patience.WATCH))
                .extracting(Outcome::userContext)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(queue.jfs().flushAll())
                .extracting(Completion::userContext)
                .containsExactlyElementsOf(
                        LongStream.range(100, 100 + held).boxed().toList());
        assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 200))
                .isTrue();
    }

    /** S6.11: a timeout of zero is refused, and so is a closed queue. */
    @Rule({"S6.11", "S4.2", "S2.2"})
    @Test
    void quiesceIsRefusedWithoutTimeAndAfterClose() {
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().quiesce(Duration.ZERO))
                .hasMessageContaining("timeout");
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        queue.jfs().close();
        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().quiesce(Duration.ofSeconds(1)))
                .hasMessageContaining("closed");
    }

    /** S6.11, S6.8: also while others post, each accepted work request has one result. */
    @Rule({"S6.11", "S6.8", "S13.1"})
    @Test
    void quiesceWhileOthersPostLosesAndDoublesNothing() throws Exception {
        var receiver = pair.receiver(64 * 1024);
        receiver.receive(256, 64, 0);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(4096).build(), JfcConfig.DEFAULT.withDepth(8192));
        List<Long> results = new ArrayList<>();
        int accepted;
        try (var threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> posting = threads.submit((Callable<Integer>) () -> {
                int posted = 0;
                while (posted < 2000 && queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, posted)) {
                    posted++;
                }
                return posted;
            });
            Patience.await("some results", () -> {
                queue.within(Duration.ZERO).forEach(o -> results.add(o.userContext()));
                return results.size() > 20;
            });
            queue.jfs().quiesce(QUIESCENCE).results().forEach(c -> results.add(c.userContext()));
            accepted = resultOf(posting);
        }
        queue.within(Patience.WATCH).stream()
                .filter(o -> !o.status().isMarker())
                .forEach(o -> results.add(o.userContext()));
        queue.jfs().flushAll().forEach(c -> results.add(c.userContext()));

        assertThat(results)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, accepted).boxed().toList());
    }

    private static <T> T resultOf(Future<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
