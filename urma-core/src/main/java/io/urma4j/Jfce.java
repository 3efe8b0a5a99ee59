package io.urma4j;

import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.Readiness;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A completion event channel: threads wait on it until one of several JFCs has records (SEMANTICS §11).
 *
 * <p>Safe for any number of threads. A waiting thread uses no CPU; a waiting virtual thread releases its carrier.
 */
public final class Jfce implements ContextObject {
    private final UrmaContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition fired = lock.newCondition();
    private final Set<Jfc> events = new LinkedHashSet<>();
    private final Lifetime life = new Lifetime(this);
    private @Nullable Readiness readiness; // null until it is first requested; guarded by the lock

    Jfce(UrmaContext context) {
        this.context = context;
    }

    /**
     * Waits for an event of an armed JFC, and takes it; the JFC is then disarmed.
     *
     * @param timeout zero polls without waiting; negative waits without limit
     * @return the JFC with the event, or empty at the timeout
     * @throws InterruptedException if the thread was interrupted; its flag is set again, and no event is lost (S11.2)
     * @throws UrmaException EINVAL if the channel is closed, also while waiting
     */
    public Optional<Jfc> await(Duration timeout) throws InterruptedException {
        try {
            return await(Nanos.ofWait(timeout));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw e;
        }
    }

    private Optional<Jfc> await(long timeoutNanos) throws InterruptedException {
        long remainingNanos = timeoutNanos;
        lock.lockInterruptibly();
        try {
            while (true) {
                life.checkOpen();
                if (!events.isEmpty()) {
                    return Optional.of(takeFirst());
                }
                lower();
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
        first.reported();
        return first;
    }

    /**
     * A channel that becomes readable soon after an event of an armed JFC, and stays readable until an {@link #await} finds
     * no more events. So one {@code Selector} can wait for TCP and URMA together (S11.3). Rearm, select, and when it is
     * readable call {@code await(Duration.ZERO)} until that is empty. Spurious readiness is possible, a missed event is
     * not.
     *
     * <p>The channel is non-blocking and always the same; it must not be read. Once this object is closed, a channel that a
     * selector waits on stays readable, and its user must close it; any other is closed with this object.
     *
     * @throws UrmaException EINVAL when closed; ENOMEM if the process has no file descriptors left
     */
    public SelectableChannel channel() {
        lock.lock();
        try {
            life.checkOpen();
            if (readiness == null || !readiness.isOpen()) {
                readiness = openReadiness();
                if (!events.isEmpty()) {
                    readiness.raise();
                }
            }
            return readiness.channel();
        } catch (IOException e) {
            throw new UrmaException(UrmaStatus.ENOMEM, this, "cannot make a channel: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private Readiness openReadiness() throws IOException {
        if (readiness != null) {
            readiness.close(); // its user closed the channel
            readiness = null;
        }
        return new Readiness();
    }

    void raise(Jfc jfc) {
        lock.lock();
        try {
            if (!jfc.life().isClosed() && events.add(jfc)) {
                fired.signal();
                if (readiness != null && readiness.isOpen()) {
                    readiness.raise();
                }
            }
        } catch (IOException e) {
            // just closed by its user: no selector waits for it
        } finally {
            lock.unlock();
        }
    }

    /** No event is pending: the channel is no longer readable. */
    private void lower() {
        try {
            if (readiness != null && readiness.isOpen()) {
                readiness.lower();
            }
        } catch (IOException e) {
            // just closed by its user: no selector waits for it
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

    @Override
    public UrmaContext context() {
        return context;
    }

    Lifetime life() {
        return life;
    }

    /** Closes the channel; EAGAIN while a JFC uses it. Idempotent. Waiting threads get EINVAL. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            lock.lock();
            try {
                fired.signalAll();
                if (readiness != null) {
                    readiness.close();
                }
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
