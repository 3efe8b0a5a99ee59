package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §9: posting work requests. */
public abstract class PostingContract extends Contract {
    protected PostingContract(String device) {
        super(device);
    }

    /** S9.1: a list stops at its first bad request: those before run, it and those behind do not. */
    @Rule({"S9.1", "S7.8"})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void listStopsAtItsFirstBadRequest(int bad) {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 64);
        var list = new WorkRequestList(4, 1);
        for (int i = 0; i < 4; i++) {
            list.write(imported.remote(), i == bad ? 4090 : i * 64L, i).from(queue.scratch(), 0, 64);
        }

        assertThat(queue.jfs().post(list)).isEqualTo(bad);

        assertThat(list.refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal)
                        .hasMessageContaining("4090")
                        .returns(UrmaStatus.EINVAL, UrmaException::status));
        assertThat(queue.awaitCompletions(bad)).allMatch(Outcome::isSuccess);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        for (int i = 0; i < bad; i++) {
            assertThat(imported.home().firstDifference(new Payload(1), i * 64L, 0, 64))
                    .isEqualTo(-1);
        }
        assertThat(imported.home().isZero(bad * 64L, 4096 - bad * 64L)).isTrue();
    }

    /** S9.1: a receive list stops at its first bad request as well. */
    @Rule("S9.1")
    @Test
    void receiveListStopsAtItsFirstBadRequest() {
        var context = pair.initiator().context();
        var jfr = context.createJfr(
                context.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
        var buffer = pair.initiator().buffer(64);
        var list = new WorkRequestList(3, 1)
                .receive(1)
                .into(buffer, 0, 64)
                .receive(2)
                .into(buffer, 1, 64)
                .receive(3)
                .into(buffer, 0, 64);

        assertThat(jfr.receive(list)).isEqualTo(1);
        assertThat(list.refusal()).isPresent();
    }

    /** S9.1: a refused list that was corrected can be posted again as a whole. */
    @Rule("S9.1")
    @Test
    void listIsPostedAgain() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        var list = new WorkRequestList(2, 1);
        list.write(imported.remote(), 5000, 1).from(queue.scratch(), 0, 8);
        assertThat(queue.jfs().post(list)).isZero();

        list.clear();
        list.write(imported.remote(), 0, 1).from(queue.scratch(), 0, 8);
        list.read(imported.remote(), 0, 2).into(queue.scratch(), 8, 8);
        queue.postAll(list);
        queue.awaitCompletions(2);
        queue.postAll(list);

        assertThat(list.refusal()).isEmpty();
        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
    }

    /** S9.1: the rest of a list that was accepted in part is posted without building it again. */
    @Rule({"S9.1", "S9.2"})
    @Test
    void theRestOfAListIsPostedFromAnIndex() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build());
        int count = 3 * queue.jfs().depth() - 1;
        new Payload(7).fill(queue.scratch().memory(), 0, 0, 8L * count);
        var list = new WorkRequestList(count, 1);
        for (int i = 0; i < count; i++) {
            list.write(imported.remote(), 8L * i, i).from(queue.scratch(), 8L * i, 8);
        }

        int next = queue.jfs().post(list);
        assertThat(next).isEqualTo(queue.jfs().depth());
        List<Outcome> outcomes = new ArrayList<>();
        while (next < count) {
            assertThat(list.refusal()).isEmpty();
            assertThat(queue.jfs().post(list, next)).as("of a full queue").isEqualTo(next);
            outcomes.addAll(queue.awaitCompletions(queue.jfs().depth()));
            next = queue.jfs().post(list, next);
        }
        outcomes.addAll(queue.awaitCompletions(count - outcomes.size()));

        assertThat(next).isEqualTo(count);
        assertThat(queue.jfs().post(list, count)).as("nothing is left").isEqualTo(count);
        assertThat(outcomes)
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        assertThat(imported.home().firstDifference(new Payload(7), 0, 0, 8L * count))
                .isEqualTo(-1);
        for (int index : new int[] {-1, count + 1, Integer.MAX_VALUE}) {
            assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().post(list, index))
                    .hasMessageContaining("fromIndex is " + index + ", must lie in 0…" + count);
        }
    }

    /** S9.1: a bad request behind the index is named, and stops the list there. */
    @Rule("S9.1")
    @Test
    void theRestOfAListStopsAtABadRequest() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        var list = new WorkRequestList(4, 1);
        for (int i = 0; i < 4; i++) {
            list.write(imported.remote(), i == 0 || i == 3 ? 4090 : 64L * i, i).from(queue.scratch(), 0, 64);
        }
        assertThat(queue.jfs().post(list, 1)).isEqualTo(3);
        assertThat(list.refusal()).isPresent();
        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
    }

    /** S9.1: the same for receives. */
    @Rule("S9.1")
    @Test
    void theRestOfAListOfReceivesIsAddedFromAnIndex() {
        var context = pair.initiator().context();
        var jfr = context.createJfr(
                context.createJfc(JfcConfig.DEFAULT),
                JfrConfig.builder().depth(4).build());
        var buffer = pair.initiator().buffer(64);
        int count = jfr.depth() + 2;
        var list = new WorkRequestList(count, 1);
        for (int i = 0; i < count; i++) {
            list.receive(i).into(buffer, 0, 64);
        }
        assertThat(jfr.receive(list, 2)).isEqualTo(count);
        assertThat(jfr.receive(list, 1)).as("of a full queue").isEqualTo(1);
        assertThat(list.refusal()).isEmpty();
        assertRefused(UrmaStatus.EINVAL, () -> jfr.receive(list, count + 1)).hasMessageContaining("fromIndex");
    }

    /** S9.2: a full queue is no error: it accepts no work request until records are polled. */
    @Rule({"S9.2", "S9.3"})
    @Test
    void fullQueueAcceptsNoneUntilRecordsArePolled() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build());
        int depth = queue.jfs().depth();
        queue.postWrites(imported.remote(), depth);

        assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 99))
                .isFalse();
        var list = new WorkRequestList(1, 1).write(imported.remote(), 0, 99).from(queue.scratch(), 0, 8);
        assertThat(queue.jfs().post(list)).isZero();
        assertThat(list.refusal()).isEmpty();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);

        assertThat(queue.awaitCompletions(depth))
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(LongStream.range(0, depth).boxed().toList());
        queue.postWrites(imported.remote(), depth);
        assertThat(queue.awaitCompletions(depth)).allMatch(Outcome::isSuccess);
    }

    /** S9.2: the post of a list that fills the queue returns how many were accepted. */
    @Rule({"S9.1", "S9.2"})
    @Test
    void listThatFillsTheQueueSaysHowManyItTook() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build());
        int depth = queue.jfs().depth();
        var list = new WorkRequestList(2 * depth, 1);
        for (int i = 0; i < 2 * depth; i++) {
            list.write(imported.remote(), 0, i).from(queue.scratch(), 0, 8);
        }

        assertThat(queue.jfs().post(list)).isEqualTo(depth);

        assertThat(list.refusal()).isEmpty();
        assertThat(queue.awaitCompletions(depth)).allMatch(Outcome::isSuccess);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S9.2: a full receive queue takes no more, and takes again when a message came. */
    @Rule("S9.2")
    @Test
    void fullReceiveQueueTakesNoMore() {
        var receiver = pair.receiver(64 * 1024, JfrConfig.builder().depth(8).build());
        int taken = 0;
        while (receiver.queue().receive(receiver.buffer(), taken * 64L, 64, taken)) {
            taken++;
        }
        assertThat(taken).isGreaterThanOrEqualTo(8).isLessThanOrEqualTo(16);
        var queue = pair.initiator().queue();

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next().userContext()).isZero();

        assertThat(receiver.queue().receive(receiver.buffer(), 0, 64, 100)).isTrue();
        assertThat(receiver.queue().receive(receiver.buffer(), 0, 64, 101)).isFalse();
    }

    /** S9.3: the next polled record frees the slots of unsignalled requests before it. */
    @Rule("S9.3")
    @Test
    void nextPolledRecordFreesTheSlotsOfSilentRequests() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(16).build());
        int depth = queue.jfs().depth();

        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < depth - 1; i++) {
                assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, i, PostFlags.UNSIGNALLED))
                        .isTrue();
            }
            assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 777))
                    .isTrue();
            assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 778))
                    .isFalse();
            assertThat(queue.awaitCompletion().userContext()).isEqualTo(777);
        }
    }

    /** S9.5: many threads post to one queue and poll one JFC; each request has its result, once. */
    @Rule({"S9.5", "S13.1", "S10.4"})
    @Test
    void manyThreadsPostAndPollOneQueue() throws Exception {
        int threads = 4;
        int each = Patience.amount(5000, 500);
        var imported = pair.imported(64 * 1024);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(64).build());
        var seen = new AtomicIntegerArray(threads * each);
        var total = new AtomicInteger();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t * each;
            tasks.add(() -> {
                var batch = new CompletionBatch(16);
                for (int i = 0; i < each || total.get() < threads * each; ) {
                    if (i < each
                            && queue.jfs().write(imported.remote(), 8L * (i % 512), queue.scratch(), 0, 8, first + i)) {
                        i++;
                    }
                    int count = queue.jfc().poll(batch);
                    for (int n = 0; n < count; n++) {
                        seen.incrementAndGet((int) batch.userContext(n));
                        total.incrementAndGet();
                    }
                }
                return true;
            });
        }

        try (var pool = Executors.newFixedThreadPool(threads)) {
            for (Future<Boolean> done : pool.invokeAll(tasks, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                assertThat(done.get()).isTrue();
            }
        }

        for (int i = 0; i < threads * each; i++) {
            assertThat(seen.get(i)).as("results of request " + i).isEqualTo(1);
        }
    }

    /** S9.5: with lock-free queues one thread posts and polls. */
    @Rule("S9.5")
    @Test
    void lockFreeQueueWorksForOneThread() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 1);
        var queue =
                pair.initiator().queue(JfsConfig.builder().lockFree(true).build(), JfcConfig.DEFAULT.withLockFree());
        new Payload(3).fill(queue.scratch().memory(), 0, 0, 64);

        assertThat(queue.write(imported.remote(), 0, queue.scratch(), 0, 64).isSuccess())
                .isTrue();
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 64).isSuccess())
                .isTrue();

        assertThat(imported.home().firstDifference(new Payload(3), 0, 0, 64)).isEqualTo(-1);
        assertThat(receiver.queue().next().isSuccess()).isTrue();
        assertThat(receiver.buffer().firstDifference(new Payload(3), 0, 0, 64)).isEqualTo(-1);
    }

    /** S9.4, S9.3: a queue that is always full loses nothing. */
    @Rule({"S9.2", "S9.3", "S6.8"})
    @Test
    void queueThatIsKeptFullLosesNothing() {
        var receiver = pair.receiver(64 * 1024);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build());
        receiver.receive(64, 64, 0);
        int count = Patience.amount(1000, 200);
        long posted = 0;
        long received = 0;
        List<Outcome> results = new ArrayList<>();

        while (results.size() < count) {
            if (posted < count && queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, posted)) {
                posted++;
                continue;
            }
            results.add(queue.awaitCompletion());
            for (Outcome record : receiver.queue().within(Duration.ZERO)) {
                assertThat(record.status()).isEqualTo(CompletionStatus.SUCCESS);
                received++;
                receiver.queue().receive(receiver.buffer(), 0, 64, 0);
            }
        }

        assertThat(results)
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        long rest = count - received;
        assertThat(receiver.queue().nextOnes((int) rest)).allMatch(Outcome::isSuccess);
    }

    /** S13.1, S11.4: a hundred virtual threads send, and wait without polling. */
    @Rule({"S13.1", "S11.4"})
    @Test
    void virtualThreadsSendAndWait() throws Exception {
        var receiver = pair.receiver(64 * 1024);
        receiver.receive(200, 64, 0);
        var context = pair.initiator().context();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(() -> {
                var jfce = context.createJfce();
                var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(8), jfce);
                var jfs = context.createJfs(jfc, JfsConfig.builder().depth(4).build());
                var batch = new CompletionBatch(4);
                for (int i = 0; i < 2; i++) {
                    jfc.rearm(false);
                    jfs.send(receiver.target(), pair.initiator().queue().scratch(), 0, 32, i);
                    assertThat(jfce.await(Patience.LIMIT)).contains(jfc);
                    assertThat(jfc.poll(batch)).isEqualTo(1);
                    assertThat(batch.isSuccess(0)).isTrue();
                }
                return true;
            });
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> done : threads.invokeAll(tasks, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                assertThat(done.get()).isTrue();
            }
        }

        assertThat(receiver.queue().nextOnes(200)).allMatch(Outcome::isSuccess);
    }

    /** S13.1, S8.9: two queues of one context in two threads do not disturb each other. */
    @Rule("S13.1")
    @Test
    void queuesInDifferentThreadsDoNotDisturbEachOther() throws Exception {
        var imported = pair.imported(128 * 1024);
        int rounds = Patience.amount(200, 10);
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            long base = t * 32L * 1024;
            int seed = t;
            var queue = pair.initiator().queue(JfsConfig.DEFAULT);
            var local = pair.initiator().buffer(32 * 1024, new Payload(seed));
            var back = pair.initiator().buffer(32 * 1024);
            tasks.add(() -> {
                for (int i = 0; i < rounds; i++) {
                    assertThat(queue.write(imported.remote(), base, local, 0, 32 * 1024)
                                    .isSuccess())
                            .isTrue();
                    assertThat(queue.read(imported.remote(), base, back, 0, 32 * 1024)
                                    .isSuccess())
                            .isTrue();
                    assertThat(new Payload(seed).firstDifference(back.memory(), 0, 0, 32 * 1024))
                            .isEqualTo(-1);
                }
                return true;
            });
        }

        try (var pool = Executors.newFixedThreadPool(4)) {
            for (Future<Boolean> done : pool.invokeAll(tasks, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                assertThat(done.get()).isTrue();
            }
        }
    }
}
