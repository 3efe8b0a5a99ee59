package io.urma4j;

import io.urma4j.internal.Nanos;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The asynchronous events of a context, oldest first (S11.5). Safe for any number of threads. */
public final class AsyncEvents {
    private static final System.Logger LOG = System.getLogger(AsyncEvents.class.getName());

    private static final int CAPACITY = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<AsyncEvent> queue = new ArrayDeque<>();
    private long dropped;
    private boolean closed;

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

    /** Waits at most {@code timeout} for the next event; empty if none arrived, at once when the context is closed. */
    public Optional<AsyncEvent> await(Duration timeout) throws InterruptedException {
        long remainingNanos = Nanos.of(timeout);
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !closed && remainingNanos > 0) {
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
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The context ends, and with it all waits (S12.6). */
    void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
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
