package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.SharedJetty;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §10: how results are reported. */
public abstract class CompletionsContract extends Contract {
    protected CompletionsContract(String device) {
        super(device);
    }

    /** S10.1: records of a queue arrive in the order of posting, for all opcodes. */
    @Rule("S10.1")
    @Test
    void recordsComeInTheOrderOfPosting() {
        var imported = pair.imported(1 << 20, Access.READ_WRITE_ATOMIC);
        var receiver = pair.receiver(64 * 1024);
        receiver.receive(200, 64, 0);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(1 << 20);
        var random = Seed.randomFor("mixed");
        var list = new WorkRequestList(200, 1);
        for (int i = 0; i < 200; i++) {
            switch (random.nextInt(5)) {
                case 0 -> list.write(imported.remote(), 0, i).from(local, 0, random.nextInt(1 << 16));
                case 1 -> list.read(imported.remote(), 0, i).into(local, 1 << 19, random.nextInt(1 << 16));
                case 2 ->
                    list.atomic(Opcode.FADD, imported.remote(), 8, 8, 1, 0, i).into(local, 8, 8);
                case 3 -> list.send(receiver.target(), i).from(local, 0, random.nextInt(64));
                default ->
                    list.writeImmediate(receiver.target(), imported.remote(), 0, i, i)
                            .from(local, 0, 8);
            }
        }

        queue.postAll(list);

        assertThat(queue.awaitCompletions(200))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(LongStream.range(0, 200).boxed().toList());
    }

    /**
     * S10.1: a queue without completion order still reports each result once, and keeps the order that is asked for.
     */
    @Rule({"S10.1", "S8.6", "S6.8"})
    @Test
    void whatAsksForOrderKeepsItInAQueueWithoutOrder() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var receiver = pair.receiver(4096);
        var queue = pair.initiator()
                .queue(JfsConfig.builder().outOfOrderCompletion(true).build());
        PostFlags inOrder = PostFlags.DEFAULT.completedInOrder();

        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1); // waits for a receive work request
        queue.jfs().read(imported.remote(), 0, queue.scratch(), 64, 8, 2);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 3, inOrder);
        receiver.receive(1, 64, 0);

        List<Long> told =
                queue.awaitCompletions(3).stream().map(Outcome::userContext).toList();
        assertThat(told).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(told.getLast()).isEqualTo(3L);
    }

    /** S10.1: a send record has the queue, the request, the operation and its length. */
    @Rule("S10.1")
    @Test
    void recordOfTheSendSideSaysWhatItWas() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();

        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 48, Long.MIN_VALUE + 5);

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns(false, Outcome::receive)
                .returns(false, Outcome::jetty)
                .returns(queue.jfs().id(), Outcome::localId)
                .returns(Long.MIN_VALUE + 5, Outcome::userContext)
                .returns(48L, Outcome::lengthBytes);
    }

    /** S10.1: a receive record names the sender and the queue. */
    @Rule("S10.1")
    @Test
    void recordOfTheReceiveSideSaysWhoSent() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, -7);
        var queue = pair.initiator().queue();

        queue.send(receiver.target(), queue.scratch(), 0, 40);

        var record = receiver.queue().next();
        assertThat(record)
                .returns(true, Outcome::receive)
                .returns(receiver.queue().id(), Outcome::localId)
                .returns(-7L, Outcome::userContext)
                .returns(40L, Outcome::lengthBytes);
        assertThat(record.source()).hasValueSatisfying(source -> {
            assertThat(source.id()).isEqualTo(queue.jfs().id());
            assertThat(source.uasid()).isEqualTo(pair.initiator().context().uasid());
            assertThat(source.eid()).isEqualTo(pair.initiator().context().eid());
        });
    }

    /** S10.1: records of a Jetty are marked as such. */
    @Rule("S10.1")
    @Test
    void recordsOfAJettySayThatItIsOne() {
        var connection = pair.connection();
        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        connection.there().receive(buffer, 0, 64, 0);

        var sent = connection.queue().send(null, connection.queue().scratch(), 0, 8);

        assertThat(sent).returns(true, Outcome::jetty).returns(connection.here().id(), Outcome::localId);
        assertThat(connection.there().next()).returns(true, Outcome::jetty).returns(true, Outcome::receive);
    }

    /** S10.3, S10.2: a message longer than its receive fails at both ends; nothing beyond the buffer is written. */
    @Rule({"S10.3", "S10.2"})
    @ParameterizedTest
    @ValueSource(ints = {65, 4096, 1 << 20})
    void messageTooLongIsToldToBothEnds(int lengthBytes) {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 3);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        var source = pair.initiator().buffer(lengthBytes, new Payload(1));

        assertThat(queue.send(receiver.target(), source, 0, lengthBytes).status())
                .isEqualTo(CompletionStatus.REM_OPERATION_ERR);

        assertThat(receiver.queue().next())
                .returns(CompletionStatus.LOC_LEN_ERR, Outcome::status)
                .returns(3L, Outcome::userContext);
        assertThat(receiver.buffer().isZero(64, 4032)).isTrue();
    }

    /** S10.3: a message that is too long fails its sender's queue, not the receiver's. */
    @Rule({"S10.3", "S6.6"})
    @Test
    void receiverLivesOnAfterAMessageTooLong() {
        var receiver = pair.receiver(4096);
        receiver.receive(2, 64, 0);
        var failing = pair.initiator().queue(JfsConfig.DEFAULT);
        failing.jfs().send(receiver.target(), failing.scratch(), 0, 65, 0);
        assertThat(failing.awaitCompletion().isSuccess()).isFalse();
        assertThat(receiver.queue().next().status()).isEqualTo(CompletionStatus.LOC_LEN_ERR);

        var queue = pair.initiator().queue();
        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 64).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next()).returns(1L, Outcome::userContext).matches(Outcome::isSuccess);
    }

    /** S10.4: records stay in order when polled in small and large batches. */
    @Rule("S10.4")
    @Test
    void noRecordIsLostBetweenPollsOfAnySize() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        List<Long> seen = new ArrayList<>();
        queue.postWrites(imported.remote(), 100);

        for (int capacity = 1; seen.size() < 100; capacity++) {
            var batch = new CompletionBatch(capacity);
            int count = queue.jfc().poll(batch);
            assertThat(count).isLessThanOrEqualTo(capacity).isEqualTo(batch.size());
            for (int i = 0; i < count; i++) {
                seen.add(batch.userContext(i));
            }
        }

        assertThat(seen)
                .containsExactlyElementsOf(LongStream.range(0, 100).boxed().toList());
    }

    /** S10.4: a failure among successes is one more record; one poll returns those before and behind it. */
    @Rule({"S10.4", "S10.2"})
    @Test
    void failureInTheMiddleOfABatchCostsNoOtherRecord() {
        var imported = pair.imported(4096);
        var revoked = pair.importedAndRevoked(4096);
        var good = pair.initiator().queue();
        var failing = pair.initiator().context().createJfs(good.jfc(), JfsConfig.DEFAULT);
        good.postWrites(imported.remote(), 10);
        assertThat(failing.write(revoked, 0, good.scratch(), 0, 8, 100)).isTrue();
        Patience.await("the failure", () -> failing.state() == QueueState.ERROR);
        good.postWrites(imported.remote(), 10);

        var outcomes = good.awaitCompletions(22);

        assertThat(outcomes)
                .filteredOn(outcome -> outcome.localId() == good.jfs().id())
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactlyElementsOf(
                        LongStream.range(0, 20).map(i -> i % 10).boxed().toList());
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.localId() == failing.id())
                .extracting(Outcome::status)
                .containsExactly(CompletionStatus.REM_ACCESS_ABORT_ERR, CompletionStatus.WR_FLUSH_ERR_DONE);
    }

    /** S10.4, S10.7: records of a closed queue between those of another cost none of them, in batches of any size. */
    @Rule({"S10.4", "S10.7"})
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64})
    void recordsAroundThoseOfAClosedQueueAreAllThere(int bite) {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        var closing = pair.initiator().context().createJfs(queue.jfc(), JfsConfig.DEFAULT);
        for (int i = 0; i < 20; i++) {
            queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, i);
            closing.write(imported.remote(), 0, queue.scratch(), 0, 8, 100 + i);
        }
        var batch = new CompletionBatch(bite);
        Patience.await("the first records", () -> queue.jfc().poll(batch) > 0);
        List<Long> seen = new ArrayList<>(userContexts(batch));

        closing.close();

        Patience.await("the others, behind " + seen, () -> {
            queue.jfc().poll(batch);
            seen.addAll(userContexts(batch));
            return seen.stream().filter(context -> context < 100).count() == 20;
        });
        assertThat(seen)
                .filteredOn(context -> context < 100)
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    private static List<Long> userContexts(CompletionBatch batch) {
        return batch.completions().stream().map(Completion::userContext).toList();
    }

    /**
     * S10.5: send results that find no place in the JFC are not lost: JFC and queue go to ERROR, and flush returns
     * them.
     */
    @Rule("S10.5")
    @Test
    void sendResultsThatFindNoPlaceAreReturnedByFlush() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(64).build(), JfcConfig.DEFAULT.withDepth(8));
        int posted = 0;
        for (; posted < 32 && queue.jfs().state() == QueueState.READY; posted++) {
            assertThat(queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, posted))
                    .isTrue();
        }

        Patience.await("the overflow", () -> !queue.jfc().isValid());
        assertThat(queue.jfs().state()).isEqualTo(QueueState.ERROR);
        assertThat(pair.initiator().awaitEvent(AsyncEvent.Type.JFC_ERR).source())
                .isSameAs(queue.jfc());
        List<Long> seen = new ArrayList<>();
        for (Outcome outcome : queue.within(Patience.stretched(Duration.ofMillis(200)))) {
            if (!outcome.status().isMarker()) {
                seen.add(outcome.userContext());
            }
        }
        assertThat(seen).hasSizeGreaterThanOrEqualTo(8);
        queue.jfs().flushAll().forEach(completion -> seen.add(completion.userContext()));
        assertThat(seen)
                .containsExactlyElementsOf(LongStream.range(0, posted).boxed().toList());
    }

    /** S10.1: the records of one sender's messages name one path, those of another process's or context's another. */
    @Rule("S10.1")
    @Test
    void recordNamesThePathOfItsMessage() {
        var receiver = pair.receiver(4096);
        receiver.receive(4, 64, 0);
        var second = pair.anotherInitiator();
        var target = second.context().importJetty(receiver.queue().shared());
        var queue = pair.initiator().queue();
        for (int round = 0; round < 2; round++) {
            queue.send(receiver.target(), queue.scratch(), 0, 8);
            second.queue().send(target, second.queue().scratch(), 0, 8);
        }

        var records = receiver.queue().nextOnes(4);

        var paths = records.stream()
                .collect(Collectors.groupingBy(
                        outcome -> outcome.source().orElseThrow().uasid(),
                        Collectors.mapping(Outcome::pathNumber, Collectors.toSet())));
        assertThat(paths).hasSize(2);
        assertThat(paths.values()).allMatch(ofOne -> ofOne.size() == 1).doesNotHaveDuplicates();
    }

    /** S10.5: all queues of a JFC that has overflowed are in ERROR, sending and receiving; records there stay. */
    @Rule({"S10.5", "S2.3"})
    @Test
    void allQueuesOfAnOverflowedJfcAreInError() {
        var imported = pair.imported(4096);
        var context = pair.initiator().context();
        var queue = pair.initiator().queue(JfsConfig.builder().depth(64).build(), JfcConfig.DEFAULT.withDepth(4));
        var sibling = context.createJfs(queue.jfc(), JfsConfig.DEFAULT);
        var receive = context.createJfr(queue.jfc(), JfrConfig.builder().build());
        sibling.write(imported.remote(), 0, queue.scratch(), 0, 8, 1000);

        for (int i = 0; i < 64 && queue.jfc().isValid(); i++) {
            queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, i);
        }

        Patience.await("the overflow", () -> !queue.jfc().isValid());
        Patience.await("ERROR of the queue", () -> queue.jfs().state() == QueueState.ERROR);
        Patience.await("ERROR of its sibling", () -> sibling.state() == QueueState.ERROR);
        assertThat(receive.state()).isEqualTo(ReceiveState.ERROR);
        assertThat(pair.initiator().awaitEvent(AsyncEvent.Type.JFR_ERR).source())
                .isSameAs(receive);
        assertThat(queue.awaitCompletions(4)).extracting(Outcome::userContext).containsExactly(1000L, 0L, 1L, 2L);
    }

    /** S10.5: a message that finds no place for its record is not consumed. */
    @Rule("S10.5")
    @Test
    void messageThatFindsNoPlaceForItsRecordIsNotConsumed() {
        var receiver = pair.imported(pair.home().receiver(JfrConfig.builder().build(), 4), 64 * 1024);
        receiver.receive(32, 64, 0);
        var queue = pair.initiator()
                .queue(JfsConfig.builder()
                        .rnrRetry(1)
                        .timeout(Duration.ofSeconds(2))
                        .build());
        for (int i = 0; i < 16; i++) {
            queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, i);
        }

        List<Long> delivered = new ArrayList<>();
        CompletionStatus failure = CompletionStatus.SUCCESS;
        while (failure == CompletionStatus.SUCCESS && delivered.size() < 16) {
            var outcome = queue.awaitCompletion();
            failure = outcome.status();
            if (outcome.isSuccess()) {
                delivered.add(outcome.userContext());
            }
        }

        var received = receiver.queue().within(Patience.stretched(Duration.ofMillis(200)));
        assertThat(received)
                .as("records at the receiver, for those that count as delivered")
                .hasSize(delivered.size());
        assertThat(receiver.queue().isJfcValid()).isEqualTo(failure == CompletionStatus.SUCCESS);
    }

    /** S10.6: queues whose depths exceed that of their JFC cause one warning, with the numbers. */
    @Rule("S10.6")
    @Test
    void moreDepthThanAJfcHasIsWarnedOfOnce() {
        var context = pair.initiator().context();
        var deep = JfsConfig.builder().depth(16).build();
        List<String> warnings = new CopyOnWriteArrayList<>();
        try (var listening = Warnings.of(Jfc.class, warnings::add)) {
            var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(32));
            context.createJfs(jfc, deep);
            context.createJfs(jfc, deep).close();
            context.createJfs(jfc, deep);
            assertThat(warnings).isEmpty();

            context.createJfs(jfc, deep);
            context.createJfs(jfc, deep);

            assertThat(warnings)
                    .filteredOn(warning -> warning.contains(jfc.toString()))
                    .singleElement(STRING)
                    .contains("32")
                    .contains("48");
            assertThat(listening).isNotNull();
        }
    }

    /** S10.7: closing a queue removes its records, and no others. */
    @Rule("S10.7")
    @Test
    void closingAQueueRemovesItsRecordsAlone() {
        var imported = pair.imported(4096);
        var context = pair.initiator().context();
        var queue = pair.initiator().queue();
        var jfs = context.createJfs(queue.jfc(), JfsConfig.DEFAULT);
        jfs.write(imported.remote(), 0, queue.scratch(), 0, 8, 1);
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, 2);
        jfs.write(imported.remote(), 0, queue.scratch(), 0, 8, 3);

        jfs.close();

        assertThat(queue.awaitCompletion().userContext()).isEqualTo(2);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S10.7: the places of a closed queue's records are free for those of another, which would overflow the JFC else. */
    @Rule({"S10.7", "S10.5"})
    @Test
    void closingAQueueFreesThePlacesOfItsRecords() {
        var imported = pair.imported(4096);
        var context = pair.initiator().context();
        var queue = pair.initiator().queue(JfsConfig.builder().depth(8).build(), JfcConfig.DEFAULT.withDepth(8));
        for (int round = 0; round < 3; round++) {
            int first = 10 * round;
            var closing =
                    context.createJfs(queue.jfc(), JfsConfig.builder().depth(8).build());
            queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, first);
            for (int i = 0; i < 6; i++) {
                closing.write(imported.remote(), 0, queue.scratch(), 0, 8, 100 + i);
            }
            queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, first + 1);
            Patience.await("all records", () -> queue.jfc().counters().get("unpolled") == 8);

            closing.close();
            assertThat(queue.jfc().counters().get("unpolled")).isEqualTo(2);
            for (int i = 2; i < 8; i++) {
                queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, first + i);
            }

            assertThat(queue.awaitCompletions(8))
                    .extracting(Outcome::userContext)
                    .containsExactlyElementsOf(
                            LongStream.range(first, first + 8).boxed().toList());
            assertThat(queue.jfc().isValid()).isTrue();
        }
    }

    /** What a Jetty leaves that was closed before the record of its receive was polled. */
    private record Left(Jfr jfr, LocalSegment buffer) {
        /** Refused while the work request is unfinished. */
        void close() {
            buffer.close();
            jfr.close();
        }
    }

    private Left leftByAClosedJetty(Jfc jfc, Function<Jfr, Jetty> creation) {
        var context = pair.initiator().context();
        var jfr = context.createJfr(
                jfc, JfrConfig.builder().policy(TokenPolicy.NONE).build());
        var jetty = creation.apply(jfr);
        var target = context.importJetty(jetty.descriptor(), null);
        var buffer = context.register(context.allocate(4096), Access.LOCAL_ONLY);
        var message = pair.initiator().buffer(64, new Payload(5));
        jfr.receive(buffer, 0, 64, 1);
        assertThat(pair.initiator().queue().send(target, message, 0, 64).isSuccess())
                .isTrue();
        target.close();
        jetty.close();
        return new Left(jfr, buffer);
    }

    /** S10.7, S9.4: a Jetty that closes with an unpolled record of a receive gives the buffer back, though its JFR stays. */
    @Rule({"S10.7", "S9.4"})
    @Test
    void closingAJettyReleasesTheBuffersOfItsReceiveRecords() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        Left left = leftByAClosedJetty(jfc, jfr -> context.createJetty(jfc, jfr, JfsConfig.DEFAULT));

        var batch = new CompletionBatch(16);
        while (jfc.poll(batch) > 0) {
            assertThat(userContexts(batch)).containsOnly(1L);
        }

        left.close();
        jfc.close();
    }

    /** S10.7, S9.4, S13.1: the same of a lock-free JFC, whose only thread gives the buffer back with its next poll. */
    @Rule({"S10.7", "S9.4", "S13.1"})
    @Test
    void pollAfterTheCloseOfAJettyReleasesTheBuffersInALockFreeJfc() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(new JfcConfig(1024, true));
        Left left = leftByAClosedJetty(jfc, jfr -> context.createJetty(jfc, jfr, JfsConfig.DEFAULT));

        assertThat(jfc.poll(new CompletionBatch(16)))
                .isLessThanOrEqualTo(1); // the device keeps the record, or removes it

        left.close();
        jfc.close();
    }

    /** S10.7, S9.4: without a poll, the close of the lock-free JFC gives the buffer back. */
    @Rule({"S10.7", "S9.4"})
    @Test
    void closeOfALockFreeJfcReleasesTheBuffersOfAClosedJetty() {
        var context = pair.initiator().context();
        var shared = context.createJfc(JfcConfig.DEFAULT);
        var own = context.createJfc(new JfcConfig(64, true));
        Left left = leftByAClosedJetty(shared, jfr -> context.createJetty(shared, jfr, JfsConfig.DEFAULT, own));

        own.close();

        left.close();
        shared.close();
    }

    /** S11.1: an event comes at once when records are there already, so no wake-up is lost. */
    @Rule("S11.1")
    @Test
    void armingWithRecordsThereFiresAtOnce() throws Exception {
        var imported = pair.imported(4096);
        var context = pair.initiator().context();
        var jfce = context.createJfce();
        var jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
        var jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        jfs.write(imported.remote(), 0, pair.initiator().queue().scratch(), 0, 8, 1);

        jfc.rearm(false);

        assertThat(jfce.await(Patience.LIMIT)).contains(jfc);
        assertThat(jfce.await(Duration.ZERO)).as("one event for one arming").isEmpty();
    }

    /** S11.1, S11.4: "poll until empty, rearm, wait" receives each message, when no other thread polls. */
    @Rule({"S11.1", "S11.4"})
    @Test
    void waiterHearsEachMessage() throws Exception {
        var here = pair.initiator().context();
        var jfce = here.createJfce();
        var jfc = here.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = here.createJfr(jfc, JfrConfig.builder().build());
        var buffer = pair.initiator().buffer(4096);
        var sender = pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var shared = new SharedJetty(jfr.descriptor(), jfr.token());
        var batch = new CompletionBatch(4);

        for (int round = 0; round < 50; round++) {
            jfr.receive(buffer, 0, 64, round);
            jfc.rearm(false);
            var sending = Thread.ofVirtual().start(() -> sender.send(shared, new byte[] {1, 2, 3}));
            assertThat(jfce.await(Patience.LIMIT)).contains(jfc);
            Patience.await("the record behind the event", () -> jfc.poll(batch) > 0);
            assertThat(sending.join(Patience.LIMIT)).isTrue();
            assertThat(batch.userContext(0)).isEqualTo(round);
            assertThat(batch.lengthBytes(0)).isEqualTo(3);
        }
    }

    /** S11.2: a wait ends after its timeout, and by an interrupt, whose exception clears the flag. */
    @Rule("S11.2")
    @Test
    void waitEndsWithItsTimeAndWithAnInterrupt() throws Exception {
        var jfce = pair.initiator().context().createJfce();
        long start = System.nanoTime();

        assertThat(jfce.await(Duration.ofMillis(30))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(30));

        var waiter = Thread.ofVirtual().unstarted(() -> {
            try {
                jfce.await(Duration.ofSeconds(-1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waiter.start();
        waiter.interrupt();
        assertThat(waiter.join(Patience.LIMIT)).isTrue();
    }

    /** S11.1: a JFC without a JFCE cannot be armed. */
    @Rule("S11.1")
    @Test
    void jfcWithoutEventChannelIsNotArmed() {
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().queue().jfc().rearm(false))
                .hasMessageContaining("JFCE");
    }

    /** Counters count what was posted and completed. */
    @Rule("S10.1")
    @Test
    void countersTellWhatHappened() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), 10);
        queue.awaitCompletions(10);

        assertThat(queue.jfs().counters().asMap()).isNotEmpty().containsValue(10L);
        assertThat(queue.jfc().counters().asMap()).isNotEmpty();
    }
}
