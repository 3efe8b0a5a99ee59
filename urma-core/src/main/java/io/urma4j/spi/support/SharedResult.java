package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A result that several callers wait for, each until a deadline of its own. A caller that has given up leaves nothing here, however
 * long the result takes: dependents of a future stay with it until it completes. For one thread, except where stated.
 */
public final class SharedResult<T> {
    private final CompletableFuture<T> result;
    private final Map<Long, Caller<T>> waiting = new LinkedHashMap<>();
    private long last;

    private record Caller<T>(CompletableFuture<T> result, Timers.Timer timeout) {}

    /** A result that {@link #complete} or {@link #fail} brings. */
    public SharedResult() {
        this(new CompletableFuture<>());
    }

    /** The result of a future, which completes on the thread. */
    public SharedResult(CompletableFuture<T> result) {
        this.result = result;
        var _ = result.whenComplete(this::serve);
    }

    /**
     * The result for one more caller.
     *
     * @param clock of that thread
     * @param late the failure at its deadline
     */
    public CompletableFuture<T> await(Timers.Clock clock, long deadlineNanos, Supplier<UrmaException> late) {
        if (result.isDone()) {
            return result.copy();
        }
        long number = ++last;
        CompletableFuture<T> one = new CompletableFuture<>();
        Timers.Timer timeout = clock.at(deadlineNanos, () -> {
            waiting.remove(number);
            one.completeExceptionally(late.get());
        });
        waiting.put(number, new Caller<>(one, timeout));
        return one;
    }

    private void serve(@Nullable T value, @Nullable Throwable failure) {
        List<Caller<T>> served = List.copyOf(waiting.values());
        waiting.clear();
        for (Caller<T> caller : served) {
            caller.timeout().cancel();
            if (failure == null) {
                caller.result().complete(value);
            } else {
                caller.result().completeExceptionally(failure);
            }
        }
    }

    /** How many callers wait. */
    public int waiting() {
        return waiting.size();
    }

    /** The result; null while there is none, or if it is a failure. For any thread. */
    public @Nullable T value() {
        return result.isDone() && !result.isCompletedExceptionally() ? result.join() : null;
    }

    /** Whether it is a failure. For any thread. */
    public boolean hasFailed() {
        return result.isCompletedExceptionally();
    }

    /** The result is there, unless it was before. */
    public void complete(T value) {
        result.complete(value);
    }

    /** There will be none. */
    public void fail(Throwable why) {
        result.completeExceptionally(why);
    }
}
