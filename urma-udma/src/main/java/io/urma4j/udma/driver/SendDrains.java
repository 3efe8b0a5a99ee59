package io.urma4j.udma.driver;

import io.urma4j.QueueState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.staging.Stager;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The state changes of a send queue by a call, and the removal of its work requests (SEMANTICS §6). */
final class SendDrains {
    private static final int WORDS_EACH = 2; // position, status

    private final Object queue;
    private final EventLoop eventLoop;
    private final Stager copies;
    private final int handle;
    private final SendRing ring;
    private final SendRecords records;
    private final SpinLock posts;
    private long[] kept = {}; // records that a quiescence took out and did not return; guarded by the card's lock
    private volatile boolean closed; // before the card's queue is destroyed; read under the card's lock

    /**
     * The state changes of a queue.
     *
     * @param queue for messages
     * @param adapter with the card
     * @param handle of the card's queue
     * @param posts held during each post; acquired before the card's lock
     */
    SendDrains(Object queue, Adapter adapter, int handle, SendRing ring, SendRecords records, SpinLock posts) {
        this.queue = queue;
        this.eventLoop = adapter.eventLoop();
        this.copies = adapter.copies();
        this.handle = handle;
        this.ring = ring;
        this.records = records;
        this.posts = posts;
    }

    SendStats stats() {
        return eventLoop.call(card -> {
            checkOpen();
            return card.sendStats(handle);
        });
    }

    /** A call that races with {@link #destroy} must not reach the next queue with the same handle (S4.2). Under the lock. */
    private void checkOpen() {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, queue, "is closed");
        }
    }

    void modify(QueueState next) {
        if (next == QueueState.RESET) {
            betweenPosts(() -> {
                move(next);
                return null;
            });
        } else {
            move(next);
        }
    }

    /**
     * Runs what takes the queue to RESET: a post has then published its request before, and is taken with the others, or finds the
     * queue in RESET. It could reach the next connection otherwise (S6.3, S5.8).
     */
    private <T extends @Nullable Object> T betweenPosts(Supplier<T> reset) {
        posts.acquire();
        try {
            return reset.get();
        } finally {
            posts.release();
        }
    }

    private void move(QueueState next) {
        eventLoop.run(card -> {
            checkOpen();
            boolean isReset = ring.state() == QueueState.ERROR && next == QueueState.RESET;
            boolean isEarly = isReset && (card.sendStats(handle).draining() || kept.length > 0 || !records.endLife());
            if (isEarly || !card.modifySendQueue(handle, next, eventLoop.nanos())) {
                String why = isReset ? " before it is drained and flushed, and its records are polled" : "";
                throw new UrmaException(
                        UrmaStatus.EINVAL, queue, "cannot go from " + ring.state() + " to " + next + why);
            }
        });
    }

    /** Before another connection: nothing of the last one is left. */
    void checkOver() {
        String left = eventLoop.call(_ -> {
            checkOpen();
            if (!ring.isEmpty() || kept.length > 0) {
                return "has work requests of its last connection; flush them first";
            }
            return records.endLife() ? "" : "has unpolled records of its last connection; poll them first";
        });
        if (!left.isEmpty()) {
            throw new UrmaException(UrmaStatus.EINVAL, queue, left);
        }
    }

    /**
     * To RESET, by way of ERROR, and without a connection.
     *
     * @return completed once the records are there of what had begun: they wait for copies into device memory
     */
    CompletableFuture<Void> disconnect() {
        CompletableFuture<Void> quiet = betweenPosts(() -> eventLoop.call(card -> {
            checkOpen();
            card.disconnectRc(handle, eventLoop.nanos());
            return card.sendStats(handle).isEmpty() ? CompletableFuture.completedFuture(null) : copies.copiesIn();
        }));
        return quiet.isDone() ? quiet : quiet.thenRun(() -> eventLoop.run(_ -> {})); // after the step that makes them
    }

    /** The card forgets the queue, and what it has not reported. */
    void destroy() {
        closed = true;
        eventLoop
                .call(card -> {
                    card.destroySendQueue(handle);
                    return copies.releasedCopies();
                })
                .join();
    }

    /** What was taken out has no record that waits for its copies: the caller does (S9.4). */
    private void awaitCopies() {
        eventLoop.call(_ -> copies.releasedCopies()).join();
    }

    int flush(long[] words, int maxRecords) {
        int count = takeOut(words, maxRecords);
        if (count > 0) {
            awaitCopies();
        }
        return count;
    }

    private int takeOut(long[] words, int maxRecords) {
        long[] taken = new long[WORDS_EACH * Math.min(maxRecords, ring.depth())];
        return eventLoop.call(card -> {
            checkOpen();
            if (kept.length > 0) {
                long[] first = takeKept(maxRecords);
                System.arraycopy(first, 0, words, 0, first.length);
                return first.length / CompletionRecord.WORDS;
            }
            card.runSendQueue(handle, eventLoop.nanos()); // first: it may make the marker that must be polled before
            boolean held = ring.state() == QueueState.SUSPENDED;
            if (records.isMarkerUnpolled()) {
                return 0; // S6.7
            }
            if (held && records.freed() < card.sendStats(handle).heldFrom()) {
                return 0; // a slot keeps its place among the others until its elders' records were polled
            }
            int count = card.flush(handle, taken, taken.length / WORDS_EACH, eventLoop.nanos());
            tell(taken, count, words, 0);
            if (held && count > 0) {
                records.freeEnded(taken[WORDS_EACH * (count - 1)] + 1); // what was held behind may end silently
            }
            if (count > 0 || !held) {
                freeFlushed(card);
            }
            return count;
        });
    }

    private void tell(long[] taken, int count, long[] words, int from) {
        for (int i = 0; i < count; i++) {
            int at = from + i * CompletionRecord.WORDS;
            records.flushed(words, at, taken[WORDS_EACH * i], (int) taken[WORDS_EACH * i + 1]);
        }
    }

    /** What was flushed has no record that would free its slot. */
    private void freeFlushed(CardCommands card) {
        if (card.sendStats(handle).isEmpty() && ring.state() != QueueState.READY) {
            records.freeEnded(ring.consumed());
        }
    }

    long[] quiesce(Duration timeout) {
        long[] taken = new long[WORDS_EACH * ring.depth()];
        CompletableFuture<Void> quiet = eventLoop.call(card -> {
            checkOpen();
            int count = card.quiesce(handle, taken, eventLoop.nanos());
            long[] words = Arrays.copyOf(kept, kept.length + count * CompletionRecord.WORDS);
            tell(taken, count, words, kept.length);
            kept = words;
            freeFlushed(card);
            return copies.releasedCopies();
        });
        boolean isQuiet = quiet.thenApply(_ -> true)
                .completeOnTimeout(false, TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS)
                .join();
        if (!isQuiet) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    queue,
                    "a device still copies into its buffers; another call returns the requests");
        }
        return eventLoop.call(_ -> takeKept(Integer.MAX_VALUE));
    }

    /** The first of the records that a quiescence did not return, at most {@code maxRecords}. By the holder of the card's lock. */
    private long[] takeKept(int maxRecords) {
        int words = (int) Math.min(kept.length, (long) maxRecords * CompletionRecord.WORDS);
        long[] first = Arrays.copyOf(kept, words);
        kept = Arrays.copyOfRange(kept, words, kept.length);
        return first;
    }
}
