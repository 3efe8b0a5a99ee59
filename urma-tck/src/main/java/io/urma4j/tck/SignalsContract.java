package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.AsyncEvent;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events and records that queues make by themselves, and their rate: SEMANTICS §9 to §12. */
public abstract class SignalsContract extends Contract {
    private static final Duration LONG = Patience.LIMIT.plusSeconds(10);

    protected SignalsContract(String device) {
        super(device);
    }

    // ---- S12.2: few receives left

    private Pair.Receiver limited(int threshold, int receives) {
        var receiver = pair.receiver(
                64 * 1024, JfrConfig.builder().rxThreshold(threshold).build());
        receiver.receive(receives, 64, 0);
        return receiver;
    }

    private void send(Pair.Receiver receiver, int count) {
        var queue = pair.initiator().queue();
        for (int i = 0; i < count; i++) {
            assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                    .isTrue();
        }
    }

    /** S12.2: one event when the receives fall below the threshold, and it names the JFR. */
    @Rule({"S12.2", "S2.3"})
    @Test
    void fallBelowTheThresholdIsToldOnce() {
        var receiver = limited(4, 8);
        send(receiver, 4);
        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.WATCH))
                .as("4 are left, which is not below 4")
                .isEmpty();

        send(receiver, 4);

        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.stretched(Duration.ofMillis(200))))
                .singleElement()
                .asString()
                .contains(Integer.toString(receiver.queue().id()));
        receiver.receive(8, 64, 0);
        send(receiver, 8);
        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.WATCH))
                .as("not set again")
                .isEmpty();
    }

    /** S12.2: a threshold that is set again is reported again, at once if it is reached already. */
    @Rule("S12.2")
    @Test
    void thresholdThatIsSetAgainIsToldAgain() {
        var receiver = limited(0, 8);
        send(receiver, 1);
        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.WATCH))
                .isEmpty();

        receiver.queue().rxThreshold(7); // 7 are left
        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.WATCH))
                .isEmpty();
        send(receiver, 1);
        pair.home().awaitEvent(AsyncEvent.Type.JFR_LIMIT);

        receiver.queue().rxThreshold(7);
        pair.home().awaitEvent(AsyncEvent.Type.JFR_LIMIT);
        receiver.queue().rxThreshold(7);
        receiver.queue().rxThreshold(0);
        pair.home().awaitEvent(AsyncEvent.Type.JFR_LIMIT);
        send(receiver, 6);
        assertThat(pair.home().eventsWithin(AsyncEvent.Type.JFR_LIMIT, Patience.WATCH))
                .as("taken back")
                .isEmpty();
    }

    /** S12.2: more than its depth, or less than none, is refused, and changes nothing. */
    @Rule({"S12.2", "S2.1", "S2.2"})
    @ParameterizedTest
    @ValueSource(ints = {-1, 257})
    void thresholdBeyondTheDepthIsRefused(int threshold) {
        var receiver = limited(4, 4);

        assertRefused(UrmaStatus.EINVAL, () -> receiver.queue().rxThreshold(threshold))
                .hasMessageContaining("rxThreshold is " + threshold);
        assertRefused(
                UrmaStatus.EINVAL,
                () -> pair.home()
                        .receiver(JfrConfig.builder().rxThreshold(threshold).build(), 64));

        send(receiver, 1);
        pair.home().awaitEvent(AsyncEvent.Type.JFR_LIMIT);
    }

    // ---- S10.8: moderation

    /** A JFC of the initiator with events, and a queue on it. */
    private record Moderated(Jfce jfce, Jfc jfc, Jfs jfs, Pair.Imported imported, SendSide scratch) {
        void write(int count) {
            for (int i = 0; i < count; i++) {
                assertThat(jfs.write(imported.remote(), 0, scratch.scratch(), 0, 8, i))
                        .isTrue();
            }
        }

        void drain() {
            var batch = new CompletionBatch(64);
            while (jfc.poll(batch) > 0) {
                assertThat(batch.isSuccess(0)).isTrue();
            }
        }
    }

    private Moderated moderated(JfcConfig config) {
        var context = pair.initiator().context();
        var jfce = context.createJfce();
        var jfc = context.createJfc(config, jfce);
        var jfs = context.createJfs(
                jfc, JfsConfig.builder().lockFree(config.lockFree()).build());
        return new Moderated(
                jfce, jfc, jfs, pair.imported(4096), pair.initiator().queue());
    }

    /** S10.8: the event comes with the record that completes the count. */
    @Rule("S10.8")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eventComesWhenEnoughRecordsAreThere(boolean lockFree) throws Exception {
        var moderated = moderated(new JfcConfig(1024, lockFree).withModeration(4, LONG));

        for (int round = 0; round < 3; round++) {
            moderated.jfc().rearm(false);
            moderated.write(3);
            assertThat(moderated.jfce().await(Patience.WATCH)).isEmpty();
            moderated.write(1);
            assertThat(moderated.jfce().await(Patience.LIMIT)).contains(moderated.jfc());
            moderated.drain();
        }
    }

    /** S10.8: no record waits longer than the period, and a single one waits for all of it. */
    @Rule("S10.8")
    @Test
    void recordWaitsAtMostThePeriod() throws Exception {
        var period = Duration.ofMillis(50);
        var moderated = moderated(JfcConfig.DEFAULT.withModeration(100, period));

        for (int round = 0; round < 3; round++) {
            moderated.jfc().rearm(false);
            long start = System.nanoTime();
            moderated.write(1);
            assertThat(moderated.jfce().await(Patience.LIMIT)).contains(moderated.jfc());
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(period, period.plus(Patience.stretched(Duration.ofSeconds(5))));
            moderated.drain();
        }
    }

    /** S10.8, S11.1: records that are there when the JFC is armed are reported at once. */
    @Rule({"S10.8", "S11.1"})
    @Test
    void armingWithRecordsThereIsNotHeldBack() throws Exception {
        var moderated = moderated(JfcConfig.DEFAULT.withModeration(100, LONG));
        moderated.write(1);
        Patience.await("the record", () -> moderated.jfc().counters().get("unpolled") == 1);

        moderated.jfc().rearm(false);

        assertThat(moderated.jfce().await(Patience.LIMIT)).contains(moderated.jfc());
    }

    /** S10.8: the same for messages that arrive from a peer while no thread polls. */
    @Rule({"S10.8", "S11.4"})
    @Test
    void arrivalsAreModeratedToo() throws Exception {
        var context = pair.initiator().context();
        var jfce = context.createJfce();
        var period = Patience.stretched(Duration.ofMillis(200));
        var jfc = context.createJfc(JfcConfig.DEFAULT.withModeration(3, period), jfce);
        var jfr = context.createJfr(jfc, JfrConfig.builder().build());
        var buffer = pair.initiator().buffer(4096);
        for (int i = 0; i < 8; i++) {
            jfr.receive(buffer, 64L * i, 64, i);
        }
        var sender = pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var shared = new SharedJetty(jfr.descriptor(), jfr.token());

        jfc.rearm(false);
        for (int i = 0; i < 3; i++) {
            sender.send(shared, new byte[] {1});
        }
        assertThat(jfce.await(Patience.LIMIT)).contains(jfc);
        var batch = new CompletionBatch(8);
        assertThat(jfc.poll(batch)).isEqualTo(3);

        jfc.rearm(false);
        sender.send(shared, new byte[] {1});
        assertThat(jfce.await(Patience.LIMIT)).contains(jfc);
        assertThat(jfc.poll(batch)).isEqualTo(1);
    }

    /** S10.8: a moderation that could wait forever is refused. */
    @Rule({"S10.8", "S2.1"})
    @ParameterizedTest
    @CsvSource({"0,1000,moderationCount", "1025,1000,moderationCount", "4,0,moderationPeriod", "1,-1,moderationPeriod"})
    void moderationWithoutEndIsRefused(int count, long periodNanos, String named) {
        var config = new JfcConfig(1024, false).withModeration(count, Duration.ofNanos(periodNanos));

        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().context().createJfc(config))
                .hasMessageContaining(named);
    }

    // ---- S9.3: a silent queue signals by itself

    /** S9.3: with signalEvery a queue never fills with silent work requests, however many are posted. */
    @Rule({"S9.3", "S8.5"})
    @ParameterizedTest
    @CsvSource({"false,4", "true,4", "false,1", "false,16", "true,16"})
    void queueThatSignalsByItselfDoesNotFill(boolean lockFree, int every) {
        var imported = pair.imported(4096);
        var queue = pair.initiator()
                .queue(
                        JfsConfig.builder()
                                .depth(16)
                                .signalEvery(every)
                                .lockFree(lockFree)
                                .build(),
                        new JfcConfig(64, lockFree));
        List<Long> told = new ArrayList<>();
        int count = 1000;

        for (int i = 0; i < count; i++) {
            int number = i;
            Patience.await("room for write " + i, () -> {
                boolean accepted =
                        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 8, number, PostFlags.UNSIGNALLED);
                if (!accepted) {
                    queue.within(Duration.ZERO).forEach(o -> told.add(o.userContext()));
                }
                return accepted;
            });
        }

        queue.within(Patience.WATCH).forEach(o -> told.add(o.userContext()));
        assertThat(told).hasSize(count / every).isSorted();
        assertThat(told).allMatch(number -> number % every == every - 1);
    }

    /** S9.3: messages, too. */
    @Rule("S9.3")
    @Test
    void silentMessagesAreSignalledNowAndThen() {
        var receiver = pair.receiver(64 * 1024);
        receiver.receive(256, 64, 0);
        var queue = pair.initiator()
                .queue(JfsConfig.builder().depth(16).signalEvery(8).build());
        for (int i = 0; i < 16; i++) {
            queue.jfs().send(Opcode.SEND, receiver.target(), queue.scratch(), 0, 8, 0, i, PostFlags.UNSIGNALLED);
        }

        assertThat(queue.awaitCompletions(2)).extracting(Outcome::userContext).containsExactly(7L, 15L);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S9.3: an interval above the depth is refused. */
    @Rule({"S9.3", "S2.1"})
    @ParameterizedTest
    @ValueSource(ints = {-1, 17})
    void signalBeyondTheDepthIsRefused(int every) {
        var jfc = pair.initiator().queue().jfc();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> pair.initiator()
                                .context()
                                .createJfs(
                                        jfc,
                                        JfsConfig.builder()
                                                .depth(16)
                                                .signalEvery(every)
                                                .build()))
                .hasMessageContaining("signalEvery is " + every);
    }

    // ---- S11.5: asynchronous events

    /** S11.5: of unread events the oldest are dropped and counted; the youngest remain, in order. */
    @Rule({"S11.5", "S2.3"})
    @Test
    void unreadEventsAreDroppedOldestFirstAndCounted() {
        var events = pair.initiator().context().events();
        while (events.poll().isPresent()) {
            // what others have left
        }
        long before = events.dropped();
        int queues = 1100;
        List<String> raised = new ArrayList<>();
        for (int i = 0; i < queues; i++) {
            var context = pair.initiator().context();
            try (var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(16));
                    var jfs =
                            context.createJfs(jfc, JfsConfig.builder().depth(4).build())) {
                jfs.modify(QueueState.ERROR);
                raised.add(jfs.toString());
            }
        }

        List<String> read = new ArrayList<>();
        for (var event = events.poll(); event.isPresent(); event = events.poll()) {
            assertThat(event.get().type()).isEqualTo(AsyncEvent.Type.JFS_ERR);
            read.add(event.get().object());
        }

        long dropped = events.dropped() - before;
        assertThat(dropped).isPositive();
        assertThat(read.size() + dropped).isEqualTo(queues);
        assertThat(read).isEqualTo(raised.subList((int) dropped, queues));
        assertThat(events.toString()).contains("dropped " + events.dropped());
    }
}
