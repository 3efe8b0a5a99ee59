package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.RemoteSegment;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * JFCs that are too small, and polled too seldom. The queues that complete there, sending and receiving, fail with them
 * (S10.5), are emptied, and replaced. In the end every work request has its one result.
 */
final class OverflowWalk implements Walk {
    private static final int STEPS = 160;
    private static final int MESSAGE_BYTES = 8;
    private static final int RECEIVES = 64;

    private final Pair pair;
    private final UrmaContext context;
    private final SplittableRandom random;
    private final RemoteSegment revoked;
    private final Pair.Imported memory;
    private final LocalSegment words; // word i holds i
    private final WalkBook book = new WalkBook();
    private final WorkRequestList list = new WorkRequestList(1, 1);
    private Generation now;
    private Pair.Receiver away; // at the home, with a small JFC of its own
    private int awayDepth;

    OverflowWalk(Pair pair, RemoteSegment revoked, SplittableRandom random) {
        this.pair = pair;
        this.context = pair.initiator().context();
        this.random = random;
        this.revoked = revoked;
        this.memory = pair.imported(WalkBook.PLACES * Long.BYTES);
        this.words = Walk.words(pair);
        this.now = new Generation();
        this.away = receiver();
    }

    @Override
    public String story() {
        return book.story();
    }

    // ---- what completes together

    /** A small JFC, the queues that complete there, and another small one that their work requests may name. */
    private final class Generation {
        final Jfc jfc;
        final List<WalkQueue> queues = new ArrayList<>();
        final List<Jfc> others = new ArrayList<>(); // the last is in use
        final Pair.Receiver near; // completes in the same JFC

        Generation() {
            boolean isLockFree = random.nextInt(4) == 0;
            jfc = context.createJfc(new JfcConfig(smallDepth(), isLockFree));
            others.add(context.createJfc(new JfcConfig(smallDepth(), isLockFree)));
            for (int i = random.nextInt(2); i < 2; i++) {
                JfsConfig config = JfsConfig.builder()
                        .depth(2 << random.nextInt(4))
                        .lockFree(isLockFree && random.nextBoolean())
                        .rnrRetry(random.nextInt(3) == 0 ? 1 : 7)
                        .build();
                Jfs jfs = context.createJfs(jfc, config);
                queues.add(new WalkQueue(jfs, jfc, config, book, null));
            }
            var jfr = new LocalHomeQueue(context, jfc, context.createJfr(jfc, receives(RECEIVES)), null, null);
            near = new Pair.Receiver(
                    jfr,
                    pair.initiator().asHome().segment(RECEIVES * MESSAGE_BYTES, Access.READ_WRITE),
                    context.importJetty(jfr.shared()));
            book.tell("\n" + jfc + " of " + jfc.depth() + " for " + queues + " and " + near.queue());
        }

        Jfc other() {
            return others.getLast();
        }

        WalkQueue any() {
            return queues.get(random.nextInt(queues.size()));
        }

        /** Polls a few records of one JFC; returns how many there were. */
        int poll(Jfc from, int most) {
            var batch = new CompletionBatch(most);
            from.poll(batch);
            for (int i = 0; i < batch.size(); i++) {
                Outcome outcome = Outcome.of(batch, i);
                if (outcome.receive()) {
                    book.tell("received " + outcome.immediate());
                    book.received(outcome);
                } else {
                    queueOf(outcome).record(outcome, from);
                }
            }
            return batch.size();
        }

        private WalkQueue queueOf(Outcome outcome) {
            return queues.stream()
                    .filter(queue -> queue.jfs().id() == outcome.localId())
                    .findAny()
                    .orElseThrow(() -> new AssertionError("a record of no queue: " + outcome));
        }

        int pollAll() {
            int count = poll(jfc, 64);
            for (Jfc other : others) {
                count += poll(other, 64);
            }
            return count;
        }

        /** Queues of a JFC that has overflowed are in ERROR, unless they are in RESET; none of them works. */
        void assertFailsWithItsJfc() {
            if (jfc.isValid()) {
                return;
            }
            for (WalkQueue queue : queues) {
                Patience.await("ERROR of " + queue, () -> isEnded(queue.jfs().state()));
            }
            Patience.await("ERROR of " + near.queue(), () -> near.queue().receiveState() == ReceiveState.ERROR);
        }

        private boolean isEnded(QueueState state) {
            return state == QueueState.ERROR || state == QueueState.RESET;
        }

        /** Ends it, most times with a result for everything. */
        void end() {
            if (random.nextInt(4) != 0) {
                empty();
                queues.forEach(WalkQueue::endOfALife);
            }
            book.tell("close");
            while (pollAll() > 0) {
                // a reported SEND was received, too: the receive record lies before it
            }
            for (WalkQueue queue : queues) {
                queue.jfs().close();
                book.giveUp(queue);
            }
            near.target().close();
            near.queue().close();
            assertOverflowWasTold();
            others.forEach(Jfc::close);
            jfc.close();
        }

        /** Everything that has ended is reported, by a record or by flush. */
        private void empty() {
            if (near.queue().receiveState() == ReceiveState.READY) {
                near.queue().modifyReceive(ReceiveState.RESET); // messages in flight need no place in the JFC any more
            }
            queues.forEach(queue -> queue.move(QueueState.ERROR));
            Patience.await("the end of " + queues, () -> {
                pollAll();
                return queues.stream().allMatch(WalkQueue::isDrained);
            });
            Patience.await("the results of " + queues, () -> {
                queues.forEach(queue -> queue.flush(64));
                pollAll();
                return queues.stream().noneMatch(book::isAnySignalledOpen);
            });
        }

        private void assertOverflowWasTold() {
            List<String> told = new ArrayList<>();
            boolean isOverflowed = !jfc.isValid();
            Patience.await("the event of " + jfc, () -> {
                told.addAll(pair.initiator().asHome().eventsWithin(AsyncEvent.Type.JFC_ERR, Duration.ZERO));
                return !isOverflowed || told.contains(jfc.toString());
            });
            assertThat(told.stream().filter(jfc.toString()::equals).count())
                    .as("events of " + jfc)
                    .isEqualTo(isOverflowed ? 1 : 0);
        }
    }

    private int smallDepth() {
        return 2 << random.nextInt(4);
    }

    private static JfrConfig receives(int depth) {
        return JfrConfig.builder()
                .depth(depth)
                .minRnrTimer(Duration.ofMillis(1))
                .build();
    }

    /** A JFR, or a Jetty with its own JFC that shares the JFR of another queue. */
    private Pair.Receiver receiver() {
        awayDepth = 2 << random.nextInt(4);
        HomeQueue queue = random.nextBoolean()
                ? pair.home().receiver(receives(awayDepth), awayDepth)
                : pair.home()
                        .jettySharing(
                                pair.home().receiver(receives(awayDepth), RECEIVES), JfsConfig.DEFAULT, awayDepth);
        book.tell("receiver " + queue.id() + " whose JFC holds " + awayDepth);
        return pair.imported(queue, RECEIVES * MESSAGE_BYTES);
    }

    // ---- the walk

    @Override
    public void walk() {
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        settle();
        book.assertHolds(memory.home());
        now.end();
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0 -> now.any().moveSomewhere(random);
            case 1 -> now.any().revive();
            case 2 -> now.any().flush(1 + random.nextInt(16));
            case 3 -> quiesceNowAndThen();
            case 4, 5 -> now.poll(now.jfc, 1 + random.nextInt(8));
            case 6 -> now.poll(now.other(), 1 + random.nextInt(8));
            case 7 -> receive(now.near, 1 + random.nextInt(3));
            case 8, 9 -> receive(away, 1 + random.nextInt(3));
            case 10 -> pollAway();
            case 11 -> replaceWhatHasFailed();
            default -> postSomething();
        }
        now.assertFailsWithItsJfc();
    }

    private void quiesceNowAndThen() {
        if (random.nextInt(4) == 0) {
            now.any().quiesce();
        }
    }

    private void receive(Pair.Receiver receiver, int count) {
        if (receiver.queue().receiveState() != ReceiveState.ERROR) {
            book.tell("receives " + count + " of " + receiver.queue().id());
            try {
                receiver.receive(count, MESSAGE_BYTES, 0);
            } catch (UrmaException e) {
                assertThat(receiver.queue().receiveState()).as(e.getMessage()).isEqualTo(ReceiveState.ERROR);
            }
        }
    }

    private void pollAway() {
        for (Outcome message : away.queue().within(Duration.ZERO)) {
            book.tell("received away " + message.immediate());
            book.received(message);
        }
    }

    private void replaceWhatHasFailed() {
        if (!now.jfc.isValid() && random.nextBoolean()) {
            now.end();
            now = new Generation();
        }
        if (!now.other().isValid()) {
            now.others.add(context.createJfc(new JfcConfig(smallDepth(), false)));
        }
        if (!away.queue().isJfcValid()) {
            replaceReceiver();
        }
    }

    private void replaceReceiver() {
        pollAway();
        away.queue().close();
        away = receiver();
    }

    private void postSomething() {
        WalkQueue queue = now.any();
        int drawn = random.nextInt(24);
        boolean isElsewhere = random.nextInt(4) == 0;
        boolean isSignalled = queue.mustSignal() || random.nextInt(5) < 4;
        WalkBook.Kind kind = drawn == 0 ? WalkBook.Kind.DOOMED : drawn < 10 ? WalkBook.Kind.SEND : WalkBook.Kind.WRITE;
        TargetJetty target = random.nextInt(3) == 0 ? now.near.target() : away.target();
        if (isElsewhere) {
            post(queue, kind, isSignalled, target, now.other());
        } else {
            post(queue, kind, isSignalled, target, now.jfc);
        }
    }

    private boolean post(WalkQueue queue, WalkBook.Kind kind, boolean isSignalled, TargetJetty target, Jfc records) {
        String what = kind + " by " + queue + (records == now.jfc ? "" : " to " + records);
        return queue.post(what, kind, isSignalled, (jfs, number, flags) -> {
            if (records != now.jfc || random.nextInt(3) == 0) {
                return postListed(jfs, kind, target, records, number, flags);
            }
            long at = number * Long.BYTES;
            return switch (kind) {
                case WRITE -> jfs.write(memory.remote(), at, words, at, Long.BYTES, number, flags);
                case DOOMED -> jfs.write(revoked, 0, words, at, Long.BYTES, number, flags);
                case SEND -> jfs.send(Opcode.SEND_IMM, target, words, at, MESSAGE_BYTES, number, number, flags);
            };
        });
    }

    private boolean postListed(
            Jfs jfs, WalkBook.Kind kind, TargetJetty target, Jfc records, long number, PostFlags flags) {
        list.clear();
        switch (kind) {
            case WRITE -> list.write(memory.remote(), number * Long.BYTES, number);
            case DOOMED -> list.write(revoked, 0, number);
            case SEND -> list.sendImmediate(target, number, number);
        }
        list.from(words, number * Long.BYTES, Long.BYTES).recordTo(records).flags(flags);
        boolean mayBeNamed = records.isValid();
        boolean isAccepted = jfs.post(list) == 1;
        list.refusal().ifPresent(refusal -> {
            assertThat(refusal.status()).as(refusal.getMessage()).isEqualTo(UrmaStatus.EINVAL);
            assertThat(records.isValid()).as("valid, and refused: " + refusal).isFalse();
        });
        assertThat(isAccepted && !mayBeNamed && records != now.jfc)
                .as("a JFC that has overflowed is named")
                .isFalse();
        return isAccepted;
    }

    // ---- the end

    /** Brings everything back to work, with nothing in flight, and uses each slot. */
    private void settle() {
        book.tell("settle");
        now.empty();
        while (!now.jfc.isValid()) {
            now.end();
            now = new Generation();
            now.empty();
        }
        replaceReceiver(); // with what was sent to it and not taken
        for (WalkQueue queue : now.queues) {
            WalkQueue.Work work = work(queue);
            queue.settle(work);
            queue.assertAllSlotsAreFree(work, false);
        }
        fillTheReceiver(now.queues.getFirst());
    }

    private WalkQueue.Work work(WalkQueue queue) {
        return new WalkQueue.Work() {
            @Override
            public void poll() {
                now.pollAll();
            }

            @Override
            public boolean write(boolean isSignalled) {
                return post(queue, WalkBook.Kind.WRITE, isSignalled, away.target(), now.jfc);
            }
        };
    }

    /** Each place of a JFC takes a message. */
    private void fillTheReceiver(WalkQueue queue) {
        receive(away, awayDepth);
        for (int i = 0; i < awayDepth; i++) {
            long number = book.next();
            assertThat(post(queue, WalkBook.Kind.SEND, true, away.target(), now.jfc))
                    .isTrue();
            Patience.await("the record of " + number, () -> now.pollAll() > 0 && !book.isOpen(number));
            assertThat(book.isSuccess(number)).as("message " + i).isTrue();
        }
        assertThat(away.queue().isJfcValid()).isTrue();
        pollAway();
    }
}
