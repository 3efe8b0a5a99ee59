package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.TargetJetty;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Everything at once, drawn at random: several queues send to several receivers that are sometimes not ready, long
 * messages among short ones, with one-sided operations between them. The rules of order and of exactly one result hold
 * all the time.
 */
@EndsWithin(seconds = 120)
public abstract class SoakContract extends Contract {
    private static final int RECEIVERS = 3;
    private static final int QUEUES = 3;
    private static final int MESSAGES = Patience.amount(Boolean.getBoolean("urma.full") ? 4000 : 400, 150);
    private static final int LONGEST = 300 * 1024;
    private static final int PLACES = 8;
    private static final int SHORT = 200; // goes in one piece, whatever the provider

    protected SoakContract(String device) {
        super(device);
    }

    /** S8.9, S10.1, S12.1, S6.8: order per target, records in order, one result each, bytes as they were sent. */
    @Rule({"S8.9", "S10.1", "S12.1", "S6.8"})
    @RepeatedTest(3)
    void orderAndResultsHoldWhateverIsPosted(RepetitionInfo repetition) throws Exception {
        String purpose = "soak " + repetition.getCurrentRepetition();
        List<Sink> sinks = new ArrayList<>();
        List<TargetJetty> targets = new ArrayList<>();
        for (int i = 0; i < RECEIVERS; i++) {
            var receiver = pair.receiver((long) PLACES * LONGEST);
            targets.add(receiver.target());
            sinks.add(new Sink(receiver, Seed.randomFor(purpose + " sink " + i)));
        }
        List<Callable<Long>> sources = new ArrayList<>();
        for (int i = 0; i < QUEUES; i++) {
            sources.add(new Source(i, targets, Seed.randomFor(purpose + " source " + i)));
        }

        try (var threads = Executors.newFixedThreadPool(QUEUES)) {
            List<Future<Long>> running = sources.stream().map(threads::submit).toList();
            long expected = (long) QUEUES * MESSAGES;
            Patience.until(Patience.stretched(Duration.ofSeconds(60)), () -> {
                long received = 0;
                for (Sink sink : sinks) {
                    sink.step();
                    received += sink.received;
                }
                return received == expected || running.stream().anyMatch(SoakContract::hasFailed);
            });
            for (Future<Long> source : running) {
                assertThat(source.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isPositive();
            }
        }
        for (Sink sink : sinks) {
            assertThat(sink.receiver.queue().within(Patience.WATCH))
                    .as("messages too many")
                    .isEmpty();
        }
    }

    private static boolean hasFailed(Future<Long> running) {
        return running.state() == Future.State.FAILED;
    }

    /** What an immediate says: source and number of the message there. */
    private static long tag(int source, int target, long number) {
        return (long) source << 48 | (long) target << 32 | number;
    }

    /** A receiver that is ready now and then. */
    private static final class Sink {
        final Pair.Receiver receiver;
        private final SplittableRandom random;
        private final Deque<Long> free = new ArrayDeque<>();
        private final Deque<Long> posted = new ArrayDeque<>();
        private final int[] passedBy = new int[PLACES]; // a bit for each source
        private final long[] nextOf = new long[QUEUES];
        long received;

        Sink(Pair.Receiver receiver, SplittableRandom random) {
            this.receiver = receiver;
            this.random = random;
            for (long place = 0; place < PLACES; place++) {
                free.add(place);
            }
        }

        /** Posts some receives, or none; takes what has come. */
        void step() {
            for (int i = random.nextInt(4); i > 0 && !free.isEmpty(); i--) {
                long place = free.remove();
                assertThat(receiver.queue().receive(receiver.buffer(), place * LONGEST, LONGEST, place))
                        .isTrue();
                posted.add(place);
            }
            for (Outcome record : receiver.queue().within(Duration.ZERO)) {
                take(record);
            }
        }

        private void take(Outcome record) {
            assertThat(record).matches(Outcome::isSuccess);
            long tag = record.immediate().orElseThrow();
            int source = (int) (tag >>> 48);
            assertTakenInTurn(record, source);
            assertThat(tag & 0xFFFF_FFFFL)
                    .as("next message of source " + source)
                    .isEqualTo(nextOf[source]++);
            long place = record.userContext();
            assertThat(receiver.buffer().firstDifference(new Payload(tag), place * LONGEST, 0, record.lengthBytes()))
                    .isEqualTo(-1);
            free.add(place);
            received++;
        }

        /**
         * Messages take receives in order, each when it begins, and a message of another queue may end while a long one
         * still arrives. So the unfinished receives before a finished one belong to at most one long message of each
         * other queue.
         */
        private void assertTakenInTurn(Outcome record, int source) {
            long place = record.userContext();
            assertThat(posted).as("receives without a record").contains(place);
            int passed = 0;
            for (long older : posted) {
                if (older == place) {
                    break;
                }
                passedBy[(int) older] |= 1 << source;
                passed++;
            }
            posted.remove((Object) place);
            assertThat(passed).as("older receives than " + place + ", unused").isLessThan(QUEUES);
            assertThat(passedBy[(int) place] >> source & 1)
                    .as("messages of source " + source + " that used receives out of order")
                    .isZero();
            if (passedBy[(int) place] != 0) {
                assertThat(record.lengthBytes())
                        .as("a message that others passed")
                        .isGreaterThan(SHORT);
            }
            passedBy[(int) place] = 0;
        }
    }

    /** A queue that posts random requests, and tracks their results. */
    private final class Source implements Callable<Long> {
        private final int number;
        private final List<TargetJetty> targets;
        private final SplittableRandom random;
        private final SendSide queue =
                pair.initiator().queue(JfsConfig.builder().depth(32).build());
        private final Pair.Imported imported = pair.imported(2L * LONGEST, Access.READ_WRITE_ATOMIC);
        private final LocalSegment place = pair.initiator().buffer(4L * LONGEST);
        private final WorkRequestList list = new WorkRequestList(1, 1);
        private final Deque<Long> signalled = new ArrayDeque<>();
        private final long[] nextTo = new long[RECEIVERS];
        private final LocalSegment messages = pair.initiator().buffer((long) PLACES * LONGEST);
        private final long[] lastUse = new long[PLACES];
        private int placesUsed;
        private long posts;

        Source(int number, List<TargetJetty> targets, SplittableRandom random) {
            this.number = number;
            Arrays.fill(lastUse, -1);
            this.targets = targets;
            this.random = random;
        }

        @Override
        public Long call() {
            for (int sent = 0; sent < MESSAGES; ) {
                switch (random.nextInt(6)) {
                    case 0 ->
                        post(list.clear().write(imported.remote(), 0, posts).from(place, LONGEST, size()));
                    case 1 ->
                        post(list.clear()
                                .read(imported.remote(), LONGEST, posts)
                                .into(place, 2L * LONGEST, 64));
                    case 2 ->
                        post(list.clear()
                                .atomic(Opcode.FADD, imported.remote(), 8, 8, 1, 0, posts)
                                .into(place, 3L * LONGEST, 8));
                    default -> {
                        send();
                        sent++;
                    }
                }
            }
            while (!signalled.isEmpty()) {
                takeNext();
            }
            return posts;
        }

        private long size() {
            return random.nextInt(10) == 0 ? random.nextInt(LONGEST) : random.nextInt(SHORT);
        }

        private void send() {
            int target = random.nextInt(RECEIVERS);
            long tag = tag(number, target, nextTo[target]++);
            long lengthBytes = size();
            list.clear().sendImmediate(targets.get(target), tag, posts);
            if (lengthBytes <= SHORT && random.nextBoolean()) {
                byte[] payload = new Payload(tag).bytes(0, (int) lengthBytes);
                post(list.inline(MemorySegment.ofArray(payload)));
                Arrays.fill(payload, (byte) 0); // it was copied
            } else {
                long at = freePlace();
                new Payload(tag).fill(messages.memory(), at, 0, lengthBytes);
                post(list.from(messages, at, lengthBytes));
            }
        }

        /** The next of the places for messages; what lay there before has its result. */
        private long freePlace() {
            int index = placesUsed++ % PLACES;
            while (!signalled.isEmpty() && signalled.getFirst() <= lastUse[index]) {
                takeNext();
            }
            lastUse[index] = posts;
            return (long) index * LONGEST;
        }

        private void post(WorkRequestList one) {
            one.flags(random.nextInt(4) > 0 ? PostFlags.DEFAULT : PostFlags.DEFAULT.fenced());
            while (queue.jfs().post(one) == 0) {
                assertThat(one.refusal()).isEmpty();
                takeNext(); // full
            }
            signalled.add(posts++);
        }

        private void takeNext() {
            assertThat(queue.awaitCompletion())
                    .matches(Outcome::isSuccess)
                    .returns(signalled.remove(), Outcome::userContext);
        }
    }
}
