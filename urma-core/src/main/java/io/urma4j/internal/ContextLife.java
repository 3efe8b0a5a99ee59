package io.urma4j.internal;

import io.urma4j.ContextObject;
import io.urma4j.UrmaException;
import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.internal.inspect.PerfStage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of a context and its children: those that its provider makes are adopted, and all end together, within the close
 * timeout. Safe for any thread.
 */
public final class ContextLife {
    private static final long MIN_BUDGET_NANOS = 1_000_000; // even late, a child that ends at once ends well

    private final Object context;
    private final PerfMeter meter;
    private final ClosingOrder children;
    private final Lifetime life;
    private final Duration timeout;
    private volatile long deadlineNanos; // set when the context is being closed

    /** The refusals and the Flight Recorder name {@code context}; {@code meter} gets the times of its steps. */
    public ContextLife(Object context, PerfMeter meter, Duration timeout) {
        this.context = context;
        this.meter = meter;
        this.children = new ClosingOrder(context);
        this.life = new Lifetime(context);
        this.timeout = timeout;
    }

    public ClosingOrder children() {
        return children;
    }

    /** Refuses with EINVAL "is closed". */
    public void checkOpen() {
        life.checkOpen();
    }

    public boolean isClosed() {
        return life.isClosed();
    }

    /**
     * Makes what a provider made a child of the context, and hands it to the caller. If the context was closed meanwhile, or
     * the caller has cancelled, no one could close it: then it is abandoned.
     *
     * @param abandon begins the child's end without waiting, since this may be a thread that others wait for
     * @param handing where the result reaches the caller
     */
    public <T extends AutoCloseable> CompletableFuture<T> adopt(
            CompletableFuture<T> made, int rank, Consumer<T> abandon, Executor handing) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var _ = made.whenCompleteAsync(
                (child, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Await.causeOf(failure));
                    } else if (!children.tryAdd(child, rank, () -> abandon.accept(child))) {
                        abandon.accept(child);
                        result.completeExceptionally(Checks.closed(context));
                    } else if (!result.complete(child)) {
                        abandon.accept(child); // cancelled
                    }
                },
                handing);
        return result;
    }

    /** The same, and waits. */
    public <T extends AutoCloseable> T adopt(CompletableFuture<T> made, int rank, Consumer<T> abandon) {
        return Await.result(context, adopt(made, rank, abandon, ResultExecutors.AT_ONCE));
    }

    /** Makes a child in a timed step; it is measured if the context is. */
    public <T extends AutoCloseable> T create(PerfStage stage, int rank, Supplier<T> making) {
        return meter.timed(stage, () -> meter.adopted(children.add(making.get(), rank)));
    }

    /** Begins an import; the meter and the Flight Recorder get how long it takes. */
    public <T> CompletableFuture<T> recorded(PerfStage stage, Supplier<CompletableFuture<T>> importing) {
        Flight.Step step = Flight.importing(context);
        long begun = meter.begin();
        return importing.get().whenComplete((made, failure) -> {
            meter.end(stage, begun);
            step.end(made == null ? "-" : made, failure == null ? "SUCCESS" : Await.causeOf(failure));
        });
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
        if (life.isClosed()) {
            return false;
        }
        deadlineNanos = Nanos.deadlineAfter(timeout); // before the end: then budget() looks at it
        return life.end();
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

    /** Closes several children, in their order (S4.4). */
    public void closeAll(List<? extends @Nullable ContextObject> objects) {
        for (int i = 0; i < objects.size(); i++) {
            checkChild(i, objects.get(i));
        }
        for (int i = 0; i < objects.size(); i++) {
            ContextObject next = objects.get(i);
            try {
                if (next != null) {
                    next.close();
                }
            } catch (UrmaException e) {
                throw ApiAccess.api().batchFailed(i, objects.size(), e);
            }
        }
    }

    private void checkChild(int index, @Nullable ContextObject object) {
        if (object == null) {
            throw Checks.invalid(context, "element " + index + " of the batch is null");
        }
        if (object.context() != context) {
            throw Checks.invalid(
                    context, "element " + index + " of the batch, " + object + ", belongs to " + object.context());
        }
    }

    /** EAGAIN, naming the open children, if there are any; otherwise it takes no more (S4.1). */
    public void endIfEmpty() {
        if (!life.isClosed()) {
            children.endIfEmpty();
        }
    }
}
