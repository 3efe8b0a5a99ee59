package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queue form of asynchronous imports, binds and unbinds (S5.9). Calls return at once, and {@code take} returns each
 * result exactly once, in completion order. A call that is refused at once throws and produces no notification.
 *
 * <p>Safe for any number of threads. A waiting virtual thread releases its carrier.
 */
public final class Notifier implements ContextObject {
    private final UrmaContext context;
    private final Lifetime life = new Lifetime(this);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Queue<Notification> queue = new ArrayDeque<>();
    private int pending; // begun and not in the queue yet; guarded by the lock, as the queue is

    Notifier(UrmaContext context) {
        this.context = context;
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    /** Starts {@link UrmaContext#importSegmentAsync}; ends as {@link Notification.SegmentImported}. */
    public void importSegment(SegmentDescriptor descriptor, @Nullable Token token, Access access, long userContext) {
        life.checkOpen();
        await(
                context.importSegmentAsync(descriptor, token, access),
                segment -> new Notification.SegmentImported(userContext, segment),
                userContext);
    }

    /** Starts {@link UrmaContext#importJettyAsync}; ends as {@link Notification.JettyImported}. */
    public void importJetty(JettyDescriptor descriptor, @Nullable Token token, long userContext) {
        life.checkOpen();
        await(
                context.importJettyAsync(descriptor, token),
                target -> new Notification.JettyImported(userContext, target),
                userContext);
    }

    /** Starts {@link Jetty#bindAsync}; ends as {@link Notification.Bound}. */
    public void bind(Jetty jetty, TargetJetty target, long userContext) {
        life.checkOpen();
        await(jetty.bindAsync(target), done -> new Notification.Bound(userContext, jetty), userContext);
    }

    /** Starts {@link Jetty#unbindAsync}; ends as {@link Notification.Unbound}. */
    public void unbind(Jetty jetty, long userContext) {
        life.checkOpen();
        await(jetty.unbindAsync(), done -> new Notification.Unbound(userContext, jetty), userContext);
    }

    private <T extends @Nullable Object> void await(
            CompletableFuture<T> begun, Function<T, Notification> toNotification, long userContext) {
        lock.lock();
        try {
            pending++;
        } finally {
            lock.unlock();
        }
        var _ = begun.whenComplete((result, failure) ->
                add(failure == null ? toNotification.apply(result) : failed(userContext, failure)));
    }

    private Notification failed(long userContext, Throwable failure) {
        Throwable cause = Await.causeOf(failure);
        UrmaException reason = cause instanceof UrmaException urma
                ? urma
                : new UrmaException(UrmaStatus.FAIL, this, String.valueOf(cause.getMessage()), cause);
        return new Notification.Failed(userContext, reason);
    }

    private void add(Notification notification) {
        lock.lock();
        try {
            pending--;
            if (!life.isClosed()) {
                queue.add(notification);
                arrived.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        abandon(notification);
    }

    /** How many calls are in progress. */
    public int pending() {
        lock.lock();
        try {
            return pending;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next result.
     *
     * @param timeout zero polls without waiting; negative waits without limit
     * @return empty at the timeout
     * @throws InterruptedException if the thread was interrupted; no result is lost
     * @throws UrmaException EINVAL if it is closed, also while waiting
     */
    public Optional<Notification> await(Duration timeout) throws InterruptedException {
        long remainingNanos = Nanos.ofWait(timeout);
        lock.lockInterruptibly();
        try {
            while (true) {
                life.checkOpen();
                if (!queue.isEmpty() || remainingNanos <= 0) {
                    return Optional.ofNullable(queue.poll());
                }
                remainingNanos = arrived.awaitNanos(remainingNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the notifier. Idempotent. Calls in progress continue. Their imports, and those not yet taken, are released,
     * since no caller can use them. Bound Jetties stay bound.
     */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        context.children().remove(this);
        Queue<Notification> untaken;
        lock.lock();
        try {
            untaken = new ArrayDeque<>(queue);
            queue.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        untaken.forEach(Notifier::abandon);
    }

    private static void abandon(Notification notification) {
        switch (notification) {
            case Notification.SegmentImported imported -> imported.segment().abandon();
            case Notification.JettyImported imported -> imported.target().abandon();
            case Notification.Bound _, Notification.Unbound _, Notification.Failed _ -> {}
        }
    }

    @Override
    public String toString() {
        return "notifier of " + context;
    }
}
