package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
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
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A send queue that is used, stopped, emptied and revived at random, by one thread, and the book of what it accepted:
 * each work request has one result, in its turn, and did to the home what the result says.
 */
final class QueueWalk {
    private static final int WORDS = 1024; // a place in the home's memory for each work request
    private static final int MESSAGE_BYTES = 8;
    private static final int RECEIVES = 64; // posted at once at the end

    private enum Kind {
        WRITE,
        /** Waits for a receive. */
        SEND,
        /** Fails. */
        WRITE_TO_REVOKED
    }

    private enum Fate {
        OPEN,
        SUCCESS,
        /** May have been executed, wholly or in part. */
        FAILED,
        NEVER_STARTED
    }

    /** A work request that was accepted. */
    private static final class Posted {
        final Kind kind;
        final boolean isSignalled;
        Fate fate = Fate.OPEN;

        Posted(Kind kind, boolean isSignalled) {
            this.kind = kind;
            this.isSignalled = isSignalled;
        }
    }

    private final SplittableRandom random;
    private final RemoteSegment revoked;
    private final Pair.Imported memory;
    private final Pair.@Nullable Connection connection; // of an RC Jetty
    private final Pair.Receiver receiver;
    private final SendSide queue;
    private final JfsConfig config;
    private final LocalSegment words; // word i holds i
    private final Jfc other;
    private final WorkRequestList list = new WorkRequestList(1, 1);
    private final List<Posted> book = new ArrayList<>(); // by user context, from 1
    private final StringBuilder story = new StringBuilder();

    private int silentOnes; // in a row
    private long lastHere; // user context of the youngest record of the queue's own JFC
    private long lastThere;
    private boolean isMarked; // the marker of this life's ERROR was polled
    private boolean isQuiesced; // in this life

    /** A walk of an RM queue, or of an RC Jetty, which is unbound and bound anew besides. */
    QueueWalk(Pair pair, TransportMode mode, RemoteSegment revoked, SplittableRandom random) {
        this.random = random;
        this.revoked = revoked;
        this.memory = pair.imported(WORDS * Long.BYTES);
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
        this.words = pair.initiator().buffer(WORDS * Long.BYTES);
        this.other = pair.initiator().context().createJfc(new JfcConfig(256, isLockFree));
        for (int i = 0; i < WORDS; i++) {
            words.memory().setAtIndex(JAVA_LONG, i, i);
        }
        book.add(new Posted(Kind.WRITE, false)); // user context 0 is that of markers
        book.getFirst().fate = Fate.FAILED;
    }

    /** What was done, for a failure's message. */
    String story() {
        return config + ":" + story;
    }

    // ---- the walk

    void walk(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
        settle();
        assertAllSlotsAreFree();
        assertHomeHasWhatTheResultsSay();
        if (connection == null) {
            queue.jfs().close();
        }
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0 -> move(QueueState.ERROR);
            case 1 -> move(QueueState.SUSPENDED);
            case 2, 3, 4 -> move(QueueState.READY);
            case 5 -> move(QueueState.RESET);
            case 6 -> leaveOrBindAnew();
            case 7 -> flush(1 + random.nextInt(4));
            case 8 -> flush(64);
            case 9 -> quiesceNowAndThen();
            case 10, 11 -> receives(1 + random.nextInt(3));
            case 12, 13, 14 -> poll(1 + random.nextInt(8));
            default -> postSomething();
        }
    }

    private void postSomething() {
        int kind = random.nextInt(16);
        boolean isElsewhere = random.nextInt(4) == 0;
        boolean isSignalled =
                silentOnes + 1 >= config.depth() || random.nextInt(5) < 3; // else nothing would free a slot
        post(kind == 0 ? Kind.WRITE_TO_REVOKED : kind < 6 ? Kind.SEND : Kind.WRITE, isSignalled, isElsewhere);
    }

    private boolean post(Kind kind, boolean isSignalled, boolean isElsewhere) {
        QueueState before = queue.jfs().state();
        if (before == QueueState.RESET || book.size() >= WORDS) {
            return false; // refused with an exception, which other contracts look at
        }
        long context = book.size();
        var posted = new Posted(kind, isSignalled);
        boolean mustBeAccepted = isAllPolled() && book.stream().noneMatch(any -> any.fate == Fate.OPEN);
        boolean isAccepted =
                isElsewhere ? postElsewhere(kind, context, isSignalled) : postHere(kind, context, isSignalled);
        tell(kind
                + (isSignalled ? " " : " silent ")
                + (isElsewhere ? "elsewhere " : "")
                + (isAccepted ? context : "full"));
        if (isAccepted) {
            book.add(posted);
            silentOnes = isSignalled ? 0 : silentOnes + 1;
        }
        assertThat(isAccepted || !mustBeAccepted).as("an empty queue accepts").isTrue();
        return isAccepted;
    }

    private boolean isAllPolled() {
        return queue.jfc().counters().get("unpolled") == 0 && other.counters().get("unpolled") == 0;
    }

    private boolean postHere(Kind kind, long context, boolean isSignalled) {
        PostFlags flags = isSignalled ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED;
        long at = context * Long.BYTES;
        return switch (kind) {
            case WRITE -> queue.jfs().write(memory.remote(), at, words, at, Long.BYTES, context, flags);
            case WRITE_TO_REVOKED -> queue.jfs().write(revoked, 0, words, at, Long.BYTES, context, flags);
            case SEND -> queue.jfs().send(Opcode.SEND_IMM, target(), words, at, MESSAGE_BYTES, context, context, flags);
        };
    }

    private @Nullable TargetJetty target() {
        return connection == null ? receiver.target() : null;
    }

    private boolean postElsewhere(Kind kind, long context, boolean isSignalled) {
        list.clear();
        switch (kind) {
            case WRITE -> list.write(memory.remote(), context * Long.BYTES, context);
            case WRITE_TO_REVOKED -> list.write(revoked, 0, context);
            case SEND -> list.sendImmediate(target(), context, context);
        }
        list.from(words, context * Long.BYTES, Long.BYTES)
                .recordTo(other)
                .flags(isSignalled ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
        return queue.jfs().post(list) == 1;
    }

    private void receives(int count) {
        tell("receives " + count);
        receiver.receive(count, MESSAGE_BYTES, 0);
    }

    private void move(QueueState next) {
        QueueState before = queue.jfs().state();
        boolean isMoved = isDone(before + " to " + next, () -> {
            if (connection == null) {
                queue.jfs().modify(next);
            } else {
                connection.here().modify(next);
            }
        });
        if (isMoved && next == QueueState.RESET && before != QueueState.RESET) {
            endOfALife();
            unbindTheOther();
        }
    }

    /** Whether it was not refused, as it may be. */
    private boolean isDone(String what, Runnable move) {
        try {
            move.run();
        } catch (UrmaException e) {
            tell("not " + what);
            assertThat(e.status()).as(e.getMessage()).isEqualTo(UrmaStatus.EINVAL);
            return false;
        }
        tell(what);
        return true;
    }

    /** Of an RC Jetty: ends its connection whatever is under way, or makes one that must know nothing of the last. */
    private void leaveOrBindAnew() {
        if (connection == null) {
            move(QueueState.RESET);
        } else if (queue.jfs().state() == QueueState.RESET) {
            bindAnew(connection);
        } else if (isDone("unbind", connection.here()::unbind)) {
            isQuiesced = true; // no marker follows
            unbindTheOther();
        }
    }

    private void unbindTheOther() {
        if (connection != null) {
            connection.there().unbind();
        }
    }

    private void bindAnew(Pair.Connection ends) {
        if (isDone("bind", () -> ends.here().bind(ends.there().shared()))) {
            ends.there().bind(ends.here().shared());
            endOfALife();
        }
    }

    /** Whatever was accepted has its result by now, but for successes that make no record. */
    private void endOfALife() {
        for (int i = 1; i < book.size(); i++) {
            Posted posted = book.get(i);
            if (posted.fate == Fate.OPEN) {
                assertThat(posted.isSignalled).as(i + " has no result").isFalse();
                posted.fate = Fate.SUCCESS;
            }
        }
        isMarked = false;
        isQuiesced = false;
    }

    private void quiesceNowAndThen() {
        if (random.nextInt(3) == 0 && queue.jfs().state() != QueueState.RESET) {
            tell("quiesce");
            take(queue.jfs().quiesce(Patience.LIMIT).results());
            isQuiesced = true;
        }
    }

    private void flush(int most) {
        var batch = new CompletionBatch(most);
        int count = queue.jfs().flush(batch);
        if (count > 0) {
            tell("flush " + count);
            boolean mayFlush = queue.jfs().state() == QueueState.SUSPENDED || isMarked || isQuiesced;
            assertThat(mayFlush).as("flushed before the marker was polled").isTrue();
        }
        take(batch.completions());
    }

    private void take(List<Completion> flushed) {
        long last = 0;
        for (Completion completion : flushed) {
            assertThat(completion.userContext()).as("order of " + flushed).isGreaterThan(last);
            last = completion.userContext();
            end(last, completion.status());
        }
    }

    private void poll(int most) {
        var batch = new CompletionBatch(most);
        queue.jfc().poll(batch);
        for (int i = 0; i < batch.size(); i++) {
            lastHere = record(Outcome.of(batch, i), lastHere, true);
        }
        other.poll(batch);
        for (int i = 0; i < batch.size(); i++) {
            lastThere = record(Outcome.of(batch, i), lastThere, false);
        }
    }

    /** Returns the user context of the youngest record. */
    private long record(Outcome outcome, long youngest, boolean isHere) {
        tell((isHere ? "polled " : "polled elsewhere ") + outcome.userContext() + " " + outcome.status());
        if (isHere) {
            assertThat(isMarked).as("a record behind the marker: " + outcome).isFalse();
            isMarked = outcome.lastOfErrorDrain();
        }
        if (outcome.status().isMarker()) {
            assertThat(outcome.userContext()).isZero();
            return youngest;
        }
        assertThat(outcome.userContext()).as("order of records").isGreaterThan(youngest);
        boolean isSilent =
                outcome.isSuccess() && config.signalEvery() == 0 && !book.get((int) outcome.userContext()).isSignalled;
        assertThat(isSilent).as("a silent success made a record: " + outcome).isFalse();
        end(outcome.userContext(), outcome.status());
        return outcome.userContext();
    }

    private void end(long context, CompletionStatus status) {
        assertThat(context).as("a work request's user context").isBetween(1L, book.size() - 1L);
        Posted posted = book.get((int) context);
        assertThat(posted.fate).as("fate of " + context + " before " + status).isEqualTo(Fate.OPEN);
        posted.fate = switch (status) {
            case SUCCESS -> Fate.SUCCESS;
            case WR_UNHANDLED -> Fate.NEVER_STARTED;
            default -> Fate.FAILED;
        };
    }

    private void tell(String what) {
        story.append(' ').append(what).append(',');
    }

    // ---- the end

    /** Brings the queue back to work, with nothing under way. */
    private void settle() {
        tell("settle");
        receives(RECEIVES);
        Patience.await("a queue that works: " + story, () -> {
            revive();
            if (queue.jfs().state() != QueueState.READY || isAnySignalledOpen()) {
                return false;
            }
            int last = book.size();
            if (!post(Kind.WRITE, true, false)) {
                return false;
            }
            Patience.await("the record of " + last, () -> {
                poll(64);
                flush(64);
                return book.get(last).fate != Fate.OPEN;
            });
            return book.get(last).fate == Fate.SUCCESS; // and then whatever was before it has ended, too
        });
        endOfALife();
    }

    private void revive() {
        poll(64);
        switch (queue.jfs().state()) {
            case SUSPENDED -> move(QueueState.READY);
            case RESET -> {
                flush(64);
                if (connection == null) {
                    move(QueueState.READY);
                } else {
                    bindAnew(connection);
                }
            }
            case ERROR -> {
                flush(64);
                move(QueueState.RESET);
            }
            case READY -> {}
        }
    }

    private boolean isAnySignalledOpen() {
        return book.stream().anyMatch(posted -> posted.fate == Fate.OPEN && posted.isSignalled);
    }

    private void assertAllSlotsAreFree() {
        int depth = queue.jfs().depth();
        for (int i = 0; i < depth; i++) {
            assertThat(post(Kind.WRITE, true, false))
                    .as("slot " + i + " of " + depth)
                    .isTrue();
        }
        Patience.await("their records", () -> {
            poll(64);
            return !isAnySignalledOpen();
        });
    }

    private void assertHomeHasWhatTheResultsSay() {
        ByteBuffer bytes =
                ByteBuffer.wrap(memory.home().get(0, book.size() * Long.BYTES)).order(ByteOrder.nativeOrder());
        int[] delivered = new int[book.size()];
        for (Outcome message : receiver.queue().within(Duration.ZERO)) {
            delivered[(int) message.immediate().orElseThrow()]++;
        }
        for (int i = 1; i < book.size(); i++) {
            Posted posted = book.get(i);
            int times = switch (posted.kind) {
                case WRITE -> bytes.getLong(i * Long.BYTES) == i ? 1 : 0;
                case SEND -> delivered[i];
                case WRITE_TO_REVOKED -> 0;
            };
            assertThat(times)
                    .as(posted.kind + " " + i + ", whose fate was " + posted.fate)
                    .matches(done -> switch (posted.fate) {
                        case SUCCESS -> done == 1;
                        case NEVER_STARTED -> done == 0;
                        case OPEN, FAILED -> done <= 1;
                    });
        }
    }
}
