package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.Pause;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.spi.support.SpinLock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The state changes of a send queue by a call, and the removal of its work requests (SEMANTICS §6). Takes the queue's lock.
 */
final class QueueMoves {
    /** Interval of checks whether another thread's copy has ended. */
    private static final long BUSY_NAP_NANOS = 20_000;

    private static final long LONGEST_NAP_NANOS = 1_000_000; // of an unbind, whose intervals double

    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    private static final Duration LONGEST_WAIT = Duration.ofDays(365); // as nanoseconds it can be added to the time
    private static final Duration GOODBYE_TIMEOUT = Duration.ofSeconds(5); // of a peer whose answer changes nothing

    private final Object queue; // for messages
    private final boolean isConnected; // of mode RC: only bind makes it READY
    private final SendSlots slots;
    private final SendWindow window;
    private final SendOrder<Wqe, PeerLanes> order;
    private final RcBinding binding;
    private final JfcRecords jfc;
    private final WindowRecords records;
    private final SpinLock lock;

    QueueMoves(Object queue, JfsConfig config, SendSlots slots, SendWindow window, RcBinding binding, JfcRecords jfc) {
        this.queue = queue;
        this.isConnected = config.mode() == TransportMode.RC;
        this.slots = slots;
        this.window = window;
        this.order = window.order();
        this.records = window.records();
        this.binding = binding;
        this.jfc = jfc;
        this.lock = jfc.lock();
    }

    void modify(QueueState next) {
        lock.acquire();
        try {
            checkOpen();
            QueueState now = window.state();
            if (now == next) {
                return;
            }
            boolean byBindOnly = isConnected && now == QueueState.RESET && next == QueueState.READY;
            if (!now.mayBecome(next) || byBindOnly) { // it failed or was unbound since the caller looked
                throw new UrmaException(UrmaStatus.EINVAL, queue, "cannot go from " + now + " to " + next);
            }
            switch (next) {
                case ERROR -> {
                    order.failures().fail();
                    window.report();
                }
                case RESET -> reset();
                case READY -> {
                    enterReady();
                    order.resume(0);
                    window.advance(System.nanoTime());
                }
                case SUSPENDED -> {
                    order.life().suspend();
                    window.report();
                }
            }
        } finally {
            lock.release();
        }
    }

    /** A call that races with the close of the queue changes nothing of it (S4.2). Under the lock. */
    void checkOpen() {
        if (slots.areShut(SendSlots.CLOSED)) {
            throw new UrmaException(UrmaStatus.EINVAL, queue, "is closed");
        }
    }

    /** A bound RC Jetty is READY. */
    CompletableFuture<Void> bind(ShmTarget target, Duration timeout) {
        if (!order.window().isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, queue, "has work requests of its last connection; flush them first");
        }
        int attempt;
        lock.acquire();
        try {
            checkOpen();
            if ((order.life().isDraining() && jfc.isValid()) || !endLife()) {
                throw new UrmaException(
                        UrmaStatus.EINVAL, queue, "has unpolled records of its last connection; poll them first");
            }
            attempt = binding.begin(target); // before the peer knows: its first message may come at once
        } finally {
            lock.release();
        }
        return binding.bind(attempt, target, queue, timeout).thenRun(() -> bound(attempt));
    }

    private void bound(int attempt) {
        lock.acquire();
        try {
            if (!binding.isLatest(attempt)) {
                throw new UrmaException(
                        UrmaStatus.FAIL, queue, "was unbound or closed before its peer answered to the binding");
            }
            enterReady();
        } finally {
            lock.release();
        }
    }

    /** A JFC that overflowed while this queue was idle has not notified it. */
    private void enterReady() {
        order.life().enter(QueueState.READY);
        if (!jfc.isValid()) {
            order.failures().fail();
        }
    }

    /**
     * Before a restart: false while a record is unpolled (S6.13); otherwise frees the slots of requests that ended without
     * a record.
     */
    private boolean endLife() {
        if (records.areUnpolled()) {
            return false;
        }
        jfc.free(slots, slots.posted());
        return true;
    }

    /** In RESET at once, or when no thread copies for the queue any more and its records are made (S6.3). */
    CompletableFuture<Void> unbind(Duration timeout) {
        ShmTarget last = endBinding();
        if (last != null) {
            last.path.awaitAdmitted(); // a thread may have checked the binding just before its end (S5.8)
        }
        CompletableFuture<Void> notified = binding.unbind(last, timeout);
        if (resetIfDrained()) {
            return notified;
        }
        CompletableFuture<Void> drained = CompletableFuture.runAsync(
                () -> resetOnceDrained(timeout),
                drain -> Thread.ofVirtual().name("urma-shm-unbind").start(drain));
        return CompletableFuture.allOf(notified, drained);
    }

    private boolean resetIfDrained() {
        lock.acquire();
        try {
            window.report();
            boolean isDrained = !isCopying() && !(order.life().isUnbinding() && jfc.isValid());
            if (isDrained) {
                order.life().enter(QueueState.RESET);
            }
            return isDrained;
        } finally {
            lock.release();
        }
    }

    private void resetOnceDrained(Duration timeout) {
        long deadline = deadline(timeout);
        long napNanos = BUSY_NAP_NANOS;
        while (!resetIfDrained()) {
            checkTime(deadline, timeout);
            Pause.nanos(this, napNanos);
            napNanos = Math.min(2 * napNanos, LONGEST_NAP_NANOS);
        }
    }

    /** Under the lock: a late answer finds that its attempt is over, or the queue is READY before it is drained. */
    private @Nullable ShmTarget endBinding() {
        lock.acquire();
        try {
            ShmTarget last = binding.end();
            boolean isLive = window.state() == QueueState.READY || window.state() == QueueState.SUSPENDED;
            if (isLive && !slots.areShut(SendSlots.CLOSED)) {
                order.unbind(); // without a marker
                window.report();
            }
            return last;
        } finally {
            lock.release();
        }
    }

    boolean isDraining() {
        lock.acquire();
        try {
            window.report();
            return order.life().isDraining();
        } finally {
            lock.release();
        }
    }

    private void reset() {
        window.report();
        if (order.life().isDraining() || !order.window().isEmpty() || !endLife()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    queue,
                    "cannot go from ERROR to RESET before it is drained and flushed, and its records are polled");
        }
        order.life().enter(QueueState.RESET);
    }

    int flush(long[] words, int maxRecords) {
        lock.acquire();
        try {
            checkOpen();
            window.report();
            if (!mayFlush()) {
                return 0;
            }
            int count = take(words, maxRecords);
            freeFlushed();
            return count;
        } finally {
            lock.release();
        }
    }

    /** Takes out what has no record, in order: see {@link SendOrder#flush}. */
    private int take(long[] words, int maxRecords) {
        return order.flush(
                maxRecords,
                (index, position, entry, status) -> write(entry, status, words, index * CompletionRecord.WORDS));
    }

    private void write(Wqe entry, int status, long[] words, int at) {
        words[at] = records.header(status, entry.opcode);
        words[at + CompletionRecord.USER_CONTEXT] = entry.userContext;
        words[at + CompletionRecord.LENGTH] = status == SUCCESS ? entry.lengthBytes : 0;
    }

    /** Before the marker was polled there is nothing to flush (S6.7). */
    private boolean mayFlush() {
        // a slot stays in order until the records of older ones were polled
        boolean isHeldOldest = window.state() != QueueState.SUSPENDED
                || slots.freed() >= order.life().heldFrom();
        return !records.isMarkerUnpolled()
                && !window.copy().isActive()
                && order.life().mayFlush(jfc.isValid())
                && isHeldOldest;
    }

    /** Flushed requests have no record that would free their slots. */
    private void freeFlushed() {
        if (window.state() != QueueState.READY) {
            if (order.window().isEmpty()) {
                jfc.free(slots, slots.posted());
            } else if (window.state() == QueueState.SUSPENDED) {
                jfc.free(slots, order.window().head()); // what was held behind may end silently
            }
        }
    }

    long[] quiesce(Duration timeout) {
        lock.acquire();
        try {
            awaitCopies(timeout);
            return quiesced();
        } finally {
            lock.release();
        }
    }

    /** Whether another thread copies for the queue without the lock. */
    private boolean isCopying() {
        return slots.areShut(SendSlots.BUSY) || window.copy().isActive();
    }

    /** Waits for the copies of other threads; releases the lock meanwhile. */
    private void awaitCopies(Duration timeout) {
        long deadline = deadline(timeout);
        while (isCopying()) {
            checkTime(deadline, timeout);
            lock.release();
            Pause.nanos(this, BUSY_NAP_NANOS);
            lock.acquire();
        }
    }

    private static long deadline(Duration timeout) {
        return System.nanoTime() + (timeout.compareTo(LONGEST_WAIT) < 0 ? timeout : LONGEST_WAIT).toNanos();
    }

    private void checkTime(long deadline, Duration timeout) {
        if (System.nanoTime() - deadline > 0) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, queue, "another thread still copied for it after " + timeout);
        }
    }

    private long[] quiesced() {
        checkOpen();
        if (window.state() != QueueState.RESET) {
            order.failures().fail();
        }
        int most = (int) (order.window().end() - order.window().head());
        long[] words = new long[most * CompletionRecord.WORDS];
        int count = take(words, most);
        freeFlushed();
        return Arrays.copyOf(words, count * CompletionRecord.WORDS);
    }

    /** Takes everything out, once no thread copies for the queue (S9.4); false if it was closed before. */
    boolean close() {
        ShmTarget last;
        lock.acquire();
        try {
            if (slots.areShut(SendSlots.CLOSED)) {
                return false;
            }
            slots.shut(SendSlots.CLOSED);
            last = binding.end();
            awaitCopies(LONGEST_WAIT);
            window.clear();
        } finally {
            lock.release();
        }
        var _ = binding.unbind(last, GOODBYE_TIMEOUT); // of a bind that was being made
        return true;
    }
}
