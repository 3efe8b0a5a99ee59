package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A send queue of a walk, which one thread uses, stops, empties and revives. Its results are noted in the
 * {@link WalkBook}, and must arrive in order.
 */
final class WalkQueue {
    private static final int MANY = 64;

    private final Jfs jfs;
    private final Jfc jfc;
    private final JfsConfig config;
    private final WalkBook book;
    private final Pair.@Nullable Connection connection; // of an RC Jetty

    private final Map<Jfc, Long> youngest = new HashMap<>(); // user contexts of records
    private int silentOnes; // in a row
    private boolean isMarked; // the marker of this life's ERROR was polled
    private boolean isHeld; // the marker of the suspension was polled
    private boolean isQuiesced; // in this life

    WalkQueue(Jfs jfs, Jfc jfc, JfsConfig config, WalkBook book, Pair.@Nullable Connection connection) {
        this.jfs = jfs;
        this.jfc = jfc;
        this.config = config;
        this.book = book;
        this.connection = connection;
    }

    Jfs jfs() {
        return jfs;
    }

    Jfc jfc() {
        return jfc;
    }

    boolean isRc() {
        return connection != null;
    }

    /** Whether the next work request must be signalled: a queue full of unsignalled ones would never free a slot. */
    boolean mustSignal() {
        return silentOnes + 1 >= config.depth();
    }

    /** Posts one work request; false when the queue is full. */
    @FunctionalInterface
    interface Post {
        boolean to(Jfs jfs, long context, PostFlags flags);
    }

    /** Posts what {@code how} says, if there is room and the state allows it; returns whether it was accepted. */
    boolean post(String what, WalkBook.Kind kind, boolean isSignalled, Post how) {
        if (jfs.state() == QueueState.RESET || book.isFull()) {
            return false; // refused with an exception, which other contracts test
        }
        long context = book.next();
        boolean isAccepted = how.to(jfs, context, isSignalled ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
        book.tell(what + (isSignalled ? " " : " silent ") + (isAccepted ? context : "full"));
        if (isAccepted) {
            book.accepted(this, kind, isSignalled);
            silentOnes = isSignalled ? 0 : silentOnes + 1;
        }
        return isAccepted;
    }

    // ---- moves

    /** Tries a move that may be refused; returns whether it was accepted. */
    boolean move(QueueState next) {
        QueueState before = jfs.state();
        boolean isMoved = isDone(before + " to " + next, () -> {
            if (connection == null) {
                jfs.modify(next);
            } else {
                connection.here().modify(next);
            }
        });
        if (isMoved && next == QueueState.READY) {
            isHeld = false;
        }
        if (isMoved && next == QueueState.RESET && before != QueueState.RESET) {
            endOfALife();
            unbindTheOther();
        }
        return isMoved;
    }

    private boolean isDone(String what, Runnable move) {
        try {
            move.run();
        } catch (UrmaException e) {
            book.tell("not " + what);
            assertThat(e.status()).as(e.getMessage()).isEqualTo(UrmaStatus.EINVAL);
            return false;
        }
        book.tell(what);
        return true;
    }

    /** Of an RC Jetty: ends its connection even with work in flight, or makes a new one independent of the last. */
    void leaveOrBindAnew() {
        if (connection == null) {
            move(QueueState.RESET);
        } else if (jfs.state() == QueueState.RESET) {
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

    /** From now on nothing of this life is reported. */
    void endOfALife() {
        book.endSilently(this);
        isMarked = false;
        isHeld = false;
        isQuiesced = false;
    }

    /** One step towards READY. */
    void revive() {
        switch (jfs.state()) {
            case SUSPENDED -> move(QueueState.READY);
            case RESET -> {
                flush(MANY);
                if (connection == null) {
                    move(QueueState.READY);
                } else {
                    bindAnew(connection);
                }
            }
            case ERROR -> {
                flush(MANY);
                move(QueueState.RESET);
            }
            case READY -> {}
        }
    }

    /** A random move between states, valid or not. */
    void moveSomewhere(SplittableRandom random) {
        switch (random.nextInt(7)) {
            case 0 -> move(QueueState.ERROR);
            case 1 -> move(QueueState.SUSPENDED);
            case 2, 3, 4 -> move(QueueState.READY);
            case 5 -> move(QueueState.RESET);
            default -> leaveOrBindAnew();
        }
    }

    // ---- results

    void quiesce() {
        if (jfs.state() != QueueState.RESET) {
            book.tell("quiesce");
            take(jfs.quiesce(Patience.LIMIT).results());
            isQuiesced = true;
        }
    }

    void flush(int most) {
        var batch = new CompletionBatch(most);
        QueueState before = jfs.state();
        int count = jfs.flush(batch);
        if (count > 0) {
            book.tell("flush " + count);
            assertThat(mayFlush(before) || mayFlush(jfs.state()))
                    .as("the marker was polled before " + count + " were flushed")
                    .isTrue();
        }
        take(batch.completions());
    }

    /** Whether it has stopped, so that flush returns the work without a record. */
    boolean isDrained() {
        return jfs.state() == QueueState.RESET || (jfs.state() == QueueState.ERROR && mayFlush(QueueState.ERROR));
    }

    private boolean mayFlush(QueueState state) {
        return state == QueueState.SUSPENDED ? isHeld : isMarked || isQuiesced || !jfc.isValid();
    }

    private void take(List<Completion> flushed) {
        long last = 0;
        for (Completion completion : flushed) {
            assertThat(completion.userContext()).as("order of " + flushed).isGreaterThan(last);
            last = completion.userContext();
            book.end(this, last, completion.status());
        }
    }

    /** A record of the queue was polled from a JFC, its own or another. */
    void record(Outcome outcome, Jfc from) {
        boolean isHere = from == jfc;
        book.tell((isHere ? "polled " : "polled elsewhere ") + outcome.userContext() + " " + outcome.status());
        if (isHere) {
            assertThat(isMarked).as("a record behind the marker: " + outcome).isFalse();
            isMarked = outcome.lastOfErrorDrain();
            isHeld |= outcome.status() == CompletionStatus.WR_SUSPEND_DONE;
        }
        if (outcome.status().isMarker()) {
            assertThat(outcome.userContext()).isZero();
            return;
        }
        long context = outcome.userContext();
        assertThat(context).as("order of records").isGreaterThan(youngest.getOrDefault(from, 0L));
        youngest.put(from, context);
        boolean isSilent = outcome.isSuccess() && config.signalEvery() == 0 && !book.isSignalled(context);
        assertThat(isSilent).as("a silent success made a record: " + outcome).isFalse();
        book.end(this, context, outcome.status());
    }

    // ---- the end

    /** What a queue needs from its walk to be brought back to work. */
    interface Work {
        /** Polls all JFCs of the queue, and records what was there. */
        void poll();

        /** Posts a WRITE that must succeed; false when the queue is full. */
        boolean write(boolean isSignalled);
    }

    /** Brings it back to work, with nothing in flight. */
    void settle(Work work) {
        Patience.await("work of " + this, () -> {
            work.poll();
            revive();
            if (jfs.state() != QueueState.READY || book.isAnySignalledOpen(this)) {
                return false;
            }
            long last = book.next();
            // its success proves that all before it has ended, too, and has not suspended the queue
            return work.write(true) && isSuccess(last, work) && jfs.state() == QueueState.READY;
        });
        book.endSilently(this);
    }

    private boolean isSuccess(long context, Work work) {
        Patience.await("the record of " + context, () -> {
            work.poll();
            flush(MANY);
            return !book.isOpen(context);
        });
        return book.isSuccess(context);
    }

    /**
     * Uses each slot of a settled queue.
     *
     * @param isEachTold whether each work request is signalled; else only the last, for a JFC with few places
     */
    void assertAllSlotsAreFree(Work work, boolean isEachTold) {
        int depth = jfs.depth();
        for (int i = 1; i <= depth; i++) {
            assertThat(work.write(isEachTold || i == depth))
                    .as("slot " + i + " of " + depth + " of " + this)
                    .isTrue();
        }
        assertThat(isSuccess(book.next() - 1, work)).as("work in each slot").isTrue();
        book.endSilently(this);
    }

    @Override
    public String toString() {
        return jfs.toString();
    }
}
