package io.urma4j.internal;

import io.urma4j.UrmaException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Function;

/** The life of a context and its children: they end together, within the close timeout. Safe for any thread. */
public final class ContextClosing {
    private static final long MIN_BUDGET_NANOS = 1_000_000; // even late, a child that ends at once ends well

    private final Object context;
    private final ClosingOrder children;
    private final Lifetime life;
    private final Duration timeout;
    private volatile long deadlineNanos; // set when the context is being closed

    public ContextClosing(Object context, Duration timeout) {
        this.context = context;
        this.children = new ClosingOrder(context);
        this.life = new Lifetime(context);
        this.timeout = timeout;
    }

    public ClosingOrder children() {
        return children;
    }

    /** {@link ClosingOrder#add}. */
    public <T extends AutoCloseable> T add(T child, int rank) {
        return children.add(child, rank);
    }

    /** Refuses with EINVAL "is closed". */
    public void checkOpen() {
        life.checkOpen();
    }

    public boolean isClosed() {
        return life.isClosed();
    }

    /** How long a child may take to close: the rest of the close timeout if the whole context is being closed. */
    public Duration budget() {
        if (!life.isClosed()) {
            return timeout;
        }
        return Duration.ofNanos(Math.max(deadlineNanos - System.nanoTime(), MIN_BUDGET_NANOS));
    }

    /** Begins the end; false if it had begun before. */
    public boolean begin() {
        boolean begun = life.end();
        if (begun) {
            deadlineNanos = Nanos.deadlineAfter(timeout);
        }
        return begun;
    }

    /** Closes all children, users first, then what the provider has, which gets the rest of the time. */
    public void finish(Function<Duration, Future<Void>> provider) {
        RuntimeException failure = children.closeAll(budget());
        try {
            Await.uninterrupted(context, provider.apply(budget()));
        } catch (UrmaException e) {
            failure = ClosingOrder.joined(failure, e);
        }
        ClosingOrder.throwIfFailed(failure);
    }

    /** EAGAIN, naming the open children, if there are any; otherwise it takes no more (S4.1). */
    public void endIfEmpty() {
        if (!life.isClosed()) {
            children.endIfEmpty();
        }
    }
}
