package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.RemoteSegment;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A queue that its failures suspend (S6.10), because receivers are not ready or leave for good, and that other failures
 * take to ERROR. Held work is restarted or flushed. In the end every work request has its one result.
 */
final class SuspensionWalk implements Walk {
    private static final int STEPS = 140;
    private static final int MESSAGE_BYTES = 8;
    private static final int RECEIVES = 64;
    private static final int MOST_DEPARTURES = 2; // each costs a context

    private final Pair pair;
    private final SplittableRandom random;
    private final RemoteSegment revoked;
    private final Pair.Imported memory;
    private final LocalSegment words; // word i holds i
    private final WalkBook book = new WalkBook();
    private final JfsConfig config;
    private final Pair.@Nullable Connection connection; // of an RC Jetty
    private final SendSide side;
    private final WalkQueue queue;
    private final List<Pair.Receiver> receivers = new ArrayList<>(); // one, of an RC Jetty
    private final CompletionBatch batch = new CompletionBatch(64);
    private @Nullable Guest guest; // of an RM queue
    private int departures;

    /** A receiver with its own context, which may be closed at any time. */
    private final class Guest {
        final Initiator who = pair.anotherInitiator();
        final HomeQueue queue = who.asHome().receiver();
        final HomeSegment buffer = who.asHome().segment(RECEIVES * MESSAGE_BYTES, Access.READ_WRITE);
        final TargetJetty target = pair.initiator().context().importJetty(queue.shared());

        private int waiting; // receives without a record

        void receive() {
            if (queue.receive(buffer, 0, MESSAGE_BYTES, 0)) {
                waiting++;
            }
        }

        void poll() {
            for (Outcome message : queue.within(Duration.ZERO)) {
                book.received(message);
                waiting--;
            }
        }

        /** Polls all records before the close, which removes unpolled ones, and lets no new message begin. */
        void leave() {
            queue.modifyReceive(ReceiveState.RESET);
            Patience.await("the end of what has begun at the guest", () -> {
                poll();
                return queue.counter("waiting") == waiting;
            });
            who.context().close();
        }
    }

    SuspensionWalk(Pair pair, TransportMode mode, RemoteSegment revoked, SplittableRandom random) {
        this.pair = pair;
        this.random = random;
        this.revoked = revoked;
        this.memory = pair.imported(WalkBook.PLACES * Long.BYTES);
        this.words = Walk.words(pair);
        boolean isRc = mode == TransportMode.RC;
        this.config = JfsConfig.builder()
                .mode(mode)
                .depth(4 << random.nextInt(3))
                .signalEvery(random.nextInt(3) == 0 ? 3 : 0)
                .rnrRetry(random.nextInt(3))
                .errorSuspend(true)
                .build();
        this.connection = isRc ? pair.connection(config) : null;
        if (connection == null) {
            this.side = pair.initiator().queue(config, new JfcConfig(256, false));
            JfrConfig receive =
                    JfrConfig.builder().minRnrTimer(Duration.ofMillis(1)).build();
            receivers.add(pair.receiver(RECEIVES * MESSAGE_BYTES, receive));
            receivers.add(pair.receiver(RECEIVES * MESSAGE_BYTES, receive));
        } else {
            this.side = connection.queue();
            receivers.add(pair.imported(connection.there(), RECEIVES * MESSAGE_BYTES));
        }
        this.queue = new WalkQueue(side.jfs(), side.jfc(), config, book, connection);
    }

    @Override
    public String story() {
        return config + ":" + book.story();
    }

    // ---- the walk

    @Override
    public void walk() {
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        book.tell("settle");
        receivers.forEach(this::wake);
        queue.settle(work);
        queue.assertAllSlotsAreFree(work, true);
        receivers.forEach(receiver -> receiver.queue().within(Duration.ZERO).forEach(book::received));
        Guest last = guest;
        if (last != null) {
            last.leave();
        }
        book.assertHolds(memory.home());
        if (connection == null) {
            side.jfs().close();
        }
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0 -> queue.moveSomewhere(random);
            case 1, 2, 3 -> queue.revive();
            case 4 -> queue.flush(1 + random.nextInt(4));
            case 5 -> flushOrQuiesce();
            case 6 -> receive(anyReceiver());
            case 7 -> stir(anyReceiver());
            case 8 -> stirGuest();
            case 9 -> postBeyondTheEnd();
            case 10, 11, 12 -> poll(1 + random.nextInt(8));
            default -> postSomething();
        }
    }

    private void flushOrQuiesce() {
        if (random.nextInt(4) == 0) {
            queue.quiesce();
        } else {
            queue.flush(64);
        }
    }

    private void poll(int most) {
        var some = new CompletionBatch(most);
        side.jfc().poll(some);
        record(some);
    }

    private void record(CompletionBatch polled) {
        for (int i = 0; i < polled.size(); i++) {
            queue.record(Outcome.of(polled, i), side.jfc());
        }
    }

    // ---- the receiving side

    private Pair.Receiver anyReceiver() {
        return receivers.get(random.nextInt(receivers.size()));
    }

    private void receive(Pair.Receiver receiver) {
        if (receiver.queue().receiveState() != ReceiveState.ERROR) {
            int count = 1 + random.nextInt(3);
            book.tell("receives " + count + " at " + receiver.queue().id());
            receiver.receive(count, MESSAGE_BYTES, 0);
        }
    }

    /** Makes the receiver pause, fail or work again. */
    private void stir(Pair.Receiver receiver) {
        ReceiveState state = receiver.queue().receiveState();
        if (state == ReceiveState.READY && random.nextInt(3) == 0) {
            ReceiveState next = random.nextBoolean() ? ReceiveState.RESET : ReceiveState.ERROR;
            book.tell("receiver " + receiver.queue().id() + " to " + next);
            receiver.queue().modifyReceive(next);
        } else if (state != ReceiveState.READY) {
            wake(receiver);
        }
    }

    private void wake(Pair.Receiver receiver) {
        book.tell("receiver " + receiver.queue().id() + " wakes");
        if (receiver.queue().receiveState() == ReceiveState.ERROR) {
            receiver.queue().modifyReceive(ReceiveState.RESET);
        }
        receiver.queue().modifyReceive(ReceiveState.READY);
        receiver.receive(config.depth(), MESSAGE_BYTES, 0);
    }

    private void stirGuest() {
        Guest there = guest;
        if (connection != null || random.nextInt(4) != 0) {
            return;
        }
        if (there == null) {
            if (departures < MOST_DEPARTURES) {
                guest = new Guest();
                book.tell("a guest " + guest.queue.id());
            }
        } else if (random.nextBoolean()) {
            there.receive();
        } else {
            book.tell("the guest leaves");
            there.leave();
            departures++;
            guest = null;
        }
    }

    // ---- the sending side

    /** A post beyond the end, which is refused and changes nothing (S7.8). */
    private void postBeyondTheEnd() {
        QueueState before = side.jfs().state();
        if (before == QueueState.RESET) {
            return;
        }
        try {
            side.jfs().write(memory.remote(), WalkBook.PLACES * Long.BYTES, words, 0, Long.BYTES, 1);
            throw new AssertionError("accepted beyond the end");
        } catch (UrmaException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL);
        }
    }

    private void postSomething() {
        int drawn = random.nextInt(32);
        WalkBook.Kind kind = drawn == 0 ? WalkBook.Kind.DOOMED : drawn < 18 ? WalkBook.Kind.SEND : WalkBook.Kind.WRITE;
        post(kind, queue.mustSignal() || random.nextInt(5) < 3);
    }

    private boolean post(WalkBook.Kind kind, boolean isSignalled) {
        TargetJetty target = target();
        return queue.post(
                kind + (kind == WalkBook.Kind.SEND && target != null ? " to " + target : ""),
                kind,
                isSignalled,
                (jfs, context, flags) -> {
                    long at = context * Long.BYTES;
                    return switch (kind) {
                        case WRITE -> jfs.write(memory.remote(), at, words, at, Long.BYTES, context, flags);
                        case DOOMED -> jfs.write(revoked, 0, words, at, Long.BYTES, context, flags);
                        case SEND -> send(target, context, flags);
                    };
                });
    }

    private boolean send(@Nullable TargetJetty target, long context, PostFlags flags) {
        return side.jfs()
                .send(Opcode.SEND_IMM, target, words, context * Long.BYTES, MESSAGE_BYTES, context, context, flags);
    }

    private @Nullable TargetJetty target() {
        Guest there = guest;
        if (connection != null) {
            return null;
        }
        return there != null && random.nextInt(4) == 0
                ? there.target
                : anyReceiver().target();
    }

    private final WalkQueue.Work work = new WalkQueue.Work() {
        @Override
        public void poll() {
            side.jfc().poll(batch);
            record(batch);
            Guest there = guest;
            if (there != null) {
                there.receive(); // for what was held
            }
        }

        @Override
        public boolean write(boolean isSignalled) {
            return post(WalkBook.Kind.WRITE, isSignalled);
        }
    };
}
