package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionBatch;
import io.urma4j.ErrorScope;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A random walk of a send queue: one thread uses, stops, empties and revives it, and checks it by its {@link WalkBook}.
 */
final class QueueWalk implements Walk {
    private static final int STEPS = 120;
    private static final int MESSAGE_BYTES = 8;
    private static final int RECEIVES = 64; // posted at once at the end

    private final SplittableRandom random;
    private final RemoteSegment revoked;
    private final Pair.Imported memory;
    private final Pair.@Nullable Connection connection; // of an RC Jetty
    private final Pair.Receiver receiver;
    private final SendSide queue;
    private final WalkQueue walker;
    private final WalkBook book = new WalkBook();
    private final JfsConfig config;
    private final LocalSegment words; // word i holds i
    private final Jfc other;
    private final WorkRequestList list = new WorkRequestList(1, 1);

    /** A walk of an RM queue, or of an RC Jetty, which is also unbound and bound again. */
    QueueWalk(Pair pair, TransportMode mode, RemoteSegment revoked, SplittableRandom random) {
        this.random = random;
        this.revoked = revoked;
        this.memory = pair.imported(WalkBook.PLACES * Long.BYTES);
        boolean isRc = mode == TransportMode.RC;
        boolean isLockFree = !isRc && random.nextInt(3) == 0;
        this.config = JfsConfig.builder()
                .mode(mode)
                .depth(3 + random.nextInt(14))
                .signalEvery(random.nextInt(3) == 0 ? 3 : 0)
                .errorScope(!isRc && random.nextInt(4) == 0 ? ErrorScope.TARGET : ErrorScope.JETTY)
                .lockFree(isLockFree)
                .build();
        this.connection = isRc ? pair.connection(config) : null;
        this.receiver = connection == null
                ? pair.receiver(RECEIVES * MESSAGE_BYTES)
                : pair.imported(connection.there(), RECEIVES * MESSAGE_BYTES);
        this.queue = connection == null
                ? pair.initiator().queue(config, new JfcConfig(256, isLockFree))
                : connection.queue();
        this.walker = new WalkQueue(queue.jfs(), queue.jfc(), config, book, connection);
        this.words = Walk.words(pair);
        this.other = pair.initiator().context().createJfc(new JfcConfig(256, isLockFree));
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
        receives(RECEIVES);
        walker.settle(work);
        walker.assertAllSlotsAreFree(work, true);
        receiver.queue().within(Duration.ZERO).forEach(book::received);
        book.assertHolds(memory.home());
        if (connection == null) {
            queue.jfs().close();
        }
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> walker.moveSomewhere(random);
            case 7 -> walker.flush(1 + random.nextInt(4));
            case 8 -> walker.flush(64);
            case 9 -> quiesceNowAndThen();
            case 10, 11 -> receives(1 + random.nextInt(3));
            case 12, 13, 14 -> poll(1 + random.nextInt(8));
            default -> postSomething();
        }
    }

    private void postSomething() {
        int kind = random.nextInt(16);
        boolean isElsewhere = random.nextInt(4) == 0;
        boolean isSignalled = walker.mustSignal() || random.nextInt(5) < 3;
        WalkBook.Kind drawn = kind == 0 ? WalkBook.Kind.DOOMED : kind < 6 ? WalkBook.Kind.SEND : WalkBook.Kind.WRITE;
        post(drawn, isSignalled, isElsewhere);
    }

    private boolean post(WalkBook.Kind kind, boolean isSignalled, boolean isElsewhere) {
        boolean isInReset = queue.jfs().state() == QueueState.RESET;
        boolean mustBeAccepted = !isInReset && !book.isFull() && isAllPolled() && !book.isAnyOpen(walker);
        boolean isAccepted = walker.post(
                kind + (isElsewhere ? " elsewhere" : ""),
                kind,
                isSignalled,
                (jfs, context, flags) ->
                        isElsewhere ? postElsewhere(kind, context, flags) : postHere(kind, context, flags));
        assertThat(isAccepted || !mustBeAccepted).as("an empty queue accepts").isTrue();
        return isAccepted;
    }

    private boolean isAllPolled() {
        return queue.jfc().counters().get("unpolled") == 0 && other.counters().get("unpolled") == 0;
    }

    private boolean postHere(WalkBook.Kind kind, long context, PostFlags flags) {
        long at = context * Long.BYTES;
        return switch (kind) {
            case WRITE -> queue.jfs().write(memory.remote(), at, words, at, Long.BYTES, context, flags);
            case DOOMED -> queue.jfs().write(revoked, 0, words, at, Long.BYTES, context, flags);
            case SEND -> queue.jfs().send(Opcode.SEND_IMM, target(), words, at, MESSAGE_BYTES, context, context, flags);
        };
    }

    private @Nullable TargetJetty target() {
        return connection == null ? receiver.target() : null;
    }

    private boolean postElsewhere(WalkBook.Kind kind, long context, PostFlags flags) {
        list.clear();
        switch (kind) {
            case WRITE -> list.write(memory.remote(), context * Long.BYTES, context);
            case DOOMED -> list.write(revoked, 0, context);
            case SEND -> list.sendImmediate(target(), context, context);
        }
        list.from(words, context * Long.BYTES, Long.BYTES).recordTo(other).flags(flags);
        return queue.jfs().post(list) == 1;
    }

    private void receives(int count) {
        book.tell("receives " + count);
        receiver.receive(count, MESSAGE_BYTES, 0);
    }

    private void quiesceNowAndThen() {
        if (random.nextInt(3) == 0) {
            walker.quiesce();
        }
    }

    private void poll(int most) {
        var batch = new CompletionBatch(most);
        queue.jfc().poll(batch);
        for (int i = 0; i < batch.size(); i++) {
            walker.record(Outcome.of(batch, i), queue.jfc());
        }
        other.poll(batch);
        for (int i = 0; i < batch.size(); i++) {
            walker.record(Outcome.of(batch, i), other);
        }
    }

    private final WalkQueue.Work work = new WalkQueue.Work() {
        @Override
        public void poll() {
            QueueWalk.this.poll(64);
        }

        @Override
        public boolean write(boolean isSignalled) {
            return post(WalkBook.Kind.WRITE, isSignalled, false);
        }
    };
}
