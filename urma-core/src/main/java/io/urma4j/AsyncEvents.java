package io.urma4j;

import io.urma4j.internal.Nanos;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The asynchronous events of a context, oldest first (S11.5). Safe for any number of threads. */
public final class AsyncEvents {
    private static final System.Logger LOG = System.getLogger(AsyncEvents.class.getName());

    private static final int CAPACITY = 1024;
    private static final int HISTORY = 128;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<AsyncEvent> queue = new ArrayDeque<>();
    private long dropped;

    /** The most recent events, including those already taken, for inspection by other processes. */
    private final ArrayDeque<Past> history = new ArrayDeque<>();

    private long raised;

    /** An event as text, with its sequence number and time. */
    record Past(long number, Instant at, AsyncEvent.Type type, String object, String detail) {}

    AsyncEvents() {}

    /** The next event, if there is one. */
    public Optional<AsyncEvent> poll() {
        lock.lock();
        try {
            return Optional.ofNullable(queue.poll());
        } finally {
            lock.unlock();
        }
    }

    /** Waits at most {@code timeout} for the next event; empty if none arrived. */
    public Optional<AsyncEvent> await(Duration timeout) throws InterruptedException {
        long remainingNanos = Nanos.of(timeout);
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && remainingNanos > 0) {
                remainingNanos = arrived.awaitNanos(remainingNanos);
            }
            return Optional.ofNullable(queue.poll());
        } finally {
            lock.unlock();
        }
    }

    /** How many events were dropped because no thread read them; the oldest are dropped first. */
    public long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /** The most recent events, oldest first. */
    List<Past> history() {
        lock.lock();
        try {
            return List.copyOf(history);
        } finally {
            lock.unlock();
        }
    }

    void raise(AsyncEvent event) {
        lock.lock();
        try {
            if (queue.size() == CAPACITY) {
                queue.poll();
                if (dropped++ == 0) {
                    LOG.log(
                            Level.WARNING,
                            "no thread reads the events of a context: limit of {0} reached, dropping the oldest from now on",
                            CAPACITY);
                }
            }
            queue.add(event);
            if (history.size() == HISTORY) {
                history.poll();
            }
            history.add(new Past(++raised, Instant.now(), event.type(), event.object(), event.detail()));
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return "AsyncEvents[waiting " + queue.size() + ", dropped " + dropped + "]";
        } finally {
            lock.unlock();
        }
    }
}
