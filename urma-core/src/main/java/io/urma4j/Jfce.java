package io.urma4j;

import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion event channel: where threads wait until one of several JFCs has something (SEMANTICS §11).
 *
 * <p>Safe for any number of threads. A waiting virtual thread frees its carrier; a waiting thread uses no CPU.
 */
public final class Jfce implements AutoCloseable {
    private final UrmaContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition fired = lock.newCondition();
    private final Set<Jfc> events = new LinkedHashSet<>();
    private final Lifetime life = new Lifetime(this);

    Jfce(UrmaContext context) {
        this.context = context;
    }

    /**
     * Waits for an event of an armed JFC, and takes it: the JFC is disarmed then.
     *
     * @param timeout zero asks without waiting; negative waits for ever
     * @return the JFC that has something, or empty when the time is over
     * @throws InterruptedException when the thread was interrupted; no event is lost
     * @throws UrmaException EINVAL when it is closed, also while waiting
     */
    public Optional<Jfc> await(Duration timeout) throws InterruptedException {
        long remainingNanos = timeout.isNegative() ? Long.MAX_VALUE : Nanos.of(timeout);
        lock.lockInterruptibly();
        try {
            while (true) {
                life.checkOpen();
                if (!events.isEmpty()) {
                    return Optional.of(takeFirst());
                }
                if (remainingNanos <= 0) {
                    return Optional.empty();
                }
                remainingNanos = fired.awaitNanos(remainingNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private Jfc takeFirst() {
        var iterator = events.iterator();
        Jfc first = iterator.next();
        iterator.remove();
        return first;
    }

    void raise(Jfc jfc) {
        lock.lock();
        try {
            if (!jfc.life().isClosed() && events.add(jfc)) {
                fired.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    void forget(Jfc jfc) {
        lock.lock();
        try {
            events.remove(jfc);
        } finally {
            lock.unlock();
        }
        life.release(jfc);
    }

    UrmaContext context() {
        return context;
    }

    Lifetime life() {
        return life;
    }

    /** Ends it; EAGAIN while a JFC uses it. Idempotent. Threads that wait see it closed. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            lock.lock();
            try {
                fired.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public String toString() {
        return "JFCE of " + context;
    }
}
