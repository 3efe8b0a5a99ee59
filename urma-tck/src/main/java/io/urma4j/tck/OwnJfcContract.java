package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** S8.5: a work request's record in a JFC that is not its queue's. */
public abstract class OwnJfcContract extends Contract {
    protected OwnJfcContract(String device) {
        super(device);
    }

    private Jfc anotherJfc(int depth) {
        return pair.initiator().context().createJfc(JfcConfig.DEFAULT.withDepth(depth));
    }

    private static void write(SendSide queue, Pair.Imported to, Jfc jfc, long userContext) {
        queue.postAll(new WorkRequestList(1, 1)
                .write(to.remote(), 0, userContext)
                .from(queue.scratch(), 0, 8)
                .recordTo(jfc));
    }

    private static List<Long> contexts(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::userContext).toList();
    }

    /** S8.5: the record goes to the JFC that the work request names, those of its neighbours to the queue's own. */
    @Rule("S8.5")
    @Test
    void recordGoesToTheJfcThatTheWorkRequestNames() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        receiver.receive(2, 64, 0);
        var queue = pair.initiator().queue();
        var other = anotherJfc(64);
        var there = new Poller(other);

        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 1);
        write(queue, imported, other, 2);
        queue.postAll(new WorkRequestList(1, 1)
                .send(receiver.target(), 3)
                .from(queue.scratch(), 0, 8)
                .recordTo(other));
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 4);
        write(queue, imported, queue.jfc(), 5);

        assertThat(there.next(2))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(2L, 3L);
        assertThat(queue.awaitCompletions(3))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 4L, 5L);
        assertThat(there.within(Patience.WATCH)).isEmpty();
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S8.5, S9.3: records that are polled there free their slots here. */
    @Rule({"S8.5", "S9.3"})
    @Test
    void slotsAreFreedByRecordsPolledThere() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build(), JfcConfig.DEFAULT);
        var other = anotherJfc(64);
        var there = new Poller(other);

        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 8; i++) {
                write(queue, imported, other, i);
            }
            assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 9))
                    .as("full")
                    .isFalse();
            assertThat(contexts(there.next(8))).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        }
        assertThat(queue.write(imported.remote(), 0, queue.scratch(), 0, 8).isSuccess())
                .isTrue();
    }

    /** S8.5, S9.3: what was silent before the first of them holds no slot. */
    @Rule({"S8.5", "S9.3"})
    @Test
    void silentSuccessesBeforeTheFirstOfThemHoldNoSlot() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build(), JfcConfig.DEFAULT);
        var other = anotherJfc(64);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 1, PostFlags.UNSIGNALLED);
        write(queue, imported, other, 2);
        assertThat(new Poller(other).next().userContext()).isEqualTo(2);

        for (int i = 0; i < 20; i++) {
            assertThat(queue.write(imported.remote(), 0, queue.scratch(), 0, 8).isSuccess())
                    .isTrue();
        }
    }

    /** S6.13: unpolled records there belong to the old life, too. */
    @Rule({"S8.5", "S6.13"})
    @Test
    void queueIsNotResetBeforeItsRecordsThereArePolled() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        var other = anotherJfc(64);
        write(queue, imported, other, 1);
        Patience.await("the record", () -> other.counters().get("unpolled") == 1);
        queue.jfs().modify(QueueState.ERROR);
        queue.drainAndFlush();

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().modify(QueueState.RESET))
                .hasMessageContaining("polled");

        assertThat(new Poller(other).next().userContext()).isEqualTo(1);
        queue.jfs().modify(QueueState.RESET);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.RESET);
    }

    /** S8.5, S10.2: failures, too; the drain's marker comes to the queue's own JFC. */
    @Rule({"S8.5", "S10.2", "S6.6"})
    @Test
    void failureIsToldThereAndTheDrainHere() {
        var revoked = pair.importedAndRevoked(4096);
        var queue = pair.initiator().queue();
        var other = anotherJfc(64);
        var there = new Poller(other);

        queue.postAll(new WorkRequestList(1, 1)
                .write(revoked, 0, 7)
                .from(queue.scratch(), 0, 8)
                .recordTo(other));

        assertThat(there.next())
                .returns(7L, Outcome::userContext)
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status);
        assertThat(queue.untilDrained()).hasSize(1);
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
    }

    /**
     * S10.5: when that JFC overflows, the queue goes to ERROR, and each result is reported once, by a record or flush.
     */
    @Rule({"S8.5", "S10.5", "S6.8"})
    @Test
    void overflowThereLosesNothing() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        var other = anotherJfc(4);
        var list = new WorkRequestList(6, 1);
        for (int i = 0; i < 6; i++) {
            list.write(imported.remote(), 0, i).from(queue.scratch(), 0, 8).recordTo(other);
        }
        int accepted = queue.jfs().post(list); // the last may be refused, once the JFC has overflowed
        assertThat(accepted).isGreaterThan(4);

        Patience.await("ERROR", () -> queue.jfs().state() == QueueState.ERROR);
        Patience.await("the overflow", () -> !other.isValid());

        List<Long> results = new ArrayList<>(contexts(new Poller(other).within(Patience.WATCH)));
        assertThat(results).hasSize(4);
        queue.drainAndFlush().forEach(result -> results.add(result.userContext()));
        assertThat(results)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, accepted).boxed().toList());
    }

    /** S10.7: closing the queue removes its records there, and those alone. */
    @Rule({"S8.5", "S10.7"})
    @Test
    void closingTheQueueRemovesItsRecordsThere() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        var owner = pair.initiator().queue(JfsConfig.DEFAULT);
        owner.jfs().write(imported.remote(), 0, owner.scratch(), 0, 8, 1);
        write(queue, imported, owner.jfc(), 2);

        queue.jfs().close();

        assertThat(contexts(owner.within(Patience.WATCH))).containsExactly(1L);
    }

    /** S8.5, SEMANTICS §4: such a JFC is open, of the same context, and held from then on; receives name none. */
    @Rule({"S8.5", "S2.2", "S9.1"})
    @Test
    void jfcThatIsNamedIsCheckedAndHeld() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        var foreign = pair.anotherInitiator().queue().jfc();
        var closed = anotherJfc(16);
        closed.close();
        var held = anotherJfc(16);
        var jfr = pair.initiator().context().createJfr(held, JfrConfig.builder().build());

        for (Jfc bad : List.of(foreign, closed)) {
            var list = new WorkRequestList(1, 1)
                    .write(imported.remote(), 0, 0)
                    .from(queue.scratch(), 0, 8)
                    .recordTo(bad);
            assertThat(queue.jfs().post(list)).isZero();
            assertThat(list.refusal())
                    .hasValueSatisfying(e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));
        }
        var receive =
                new WorkRequestList(1, 1).receive(0).into(queue.scratch(), 0, 8).recordTo(held);
        assertThat(jfr.receive(receive)).isZero();
        assertThat(receive.refusal()).isPresent();
        jfr.close();

        write(queue, imported, held, 1);
        assertRefused(UrmaStatus.EAGAIN, held::close)
                .hasMessageContaining(queue.jfs().toString());
        queue.jfs().close();
        held.close();
    }

    /** S8.5, S13.1: queues that name each other's JFCs at the same time do not wait for each other. */
    @Rule({"S8.5", "S13.1", "S12.6"})
    @Test
    void queuesThatNameEachOthersJfcsDoNotWaitInACircle() throws Exception {
        var imported = pair.imported(4096);
        var one = pair.initiator().queue(JfsConfig.builder().depth(64).build(), JfcConfig.DEFAULT);
        var two = pair.initiator().queue(JfsConfig.builder().depth(64).build(), JfcConfig.DEFAULT);
        int count = 3000;

        try (var threads = Executors.newFixedThreadPool(2)) {
            Future<?> first = threads.submit(() -> crosswise(one, two.jfc(), imported, count));
            Future<?> second = threads.submit(() -> crosswise(two, one.jfc(), imported, count));
            int[] taken = new int[2];
            Patience.await("all records", () -> {
                taken[0] += one.within(Duration.ZERO).size();
                taken[1] += two.within(Duration.ZERO).size();
                return taken[0] == count && taken[1] == count;
            });
            first.get();
            second.get();
        }
    }

    /** Posts writes whose records go here and there by turns. */
    private static void crosswise(SendSide queue, Jfc other, Pair.Imported to, int count) {
        for (int i = 0; i < count; i++) {
            var list = new WorkRequestList(1, 1)
                    .write(to.remote(), 0, i)
                    .from(queue.scratch(), 0, 8)
                    .recordTo(i % 2 == 0 ? other : queue.jfc());
            Patience.await("room", () -> queue.jfs().post(list) == 1);
        }
    }
}
