package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The border between callers and the engine: steps go in, results come out.
 *
 * <p>A result is completed on the engine's thread. What hangs on it there must not block: the core hands results over to
 * its users on threads of their own.
 */
final class Callers {
    private final Engine engine;
    private boolean closed; // the engine's thread

    Callers(Engine engine) {
        this.engine = engine;
    }

    /** From now on every step is refused as closed. On the engine's thread. */
    void close() {
        closed = true;
    }

    /**
     * Runs a step on the engine's thread, or here and now when that sleeps, and hands its result to the caller, who holds no
     * lock that a step might wait for.
     */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> step) {
        return ask(step, unwanted -> {});
    }

    /**
     * The same.
     *
     * @param undo for a result that the caller does not want any more, since he cancelled the future
     */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> step, Consumer<T> undo) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (!engine.executeNow(() -> run(step, undo, result))) {
            result.completeExceptionally(closedFailure());
        }
        return result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure is handed over as well
    private <T> void run(Supplier<CompletableFuture<T>> step, Consumer<T> undo, CompletableFuture<T> result) {
        if (closed) {
            fail(result, closedFailure());
            return;
        }
        try {
            step.get().whenComplete((value, failure) -> handOver(value, failure, undo, result));
        } catch (RuntimeException e) {
            fail(result, e);
        }
    }

    private static <T> void handOver(
            T value, @Nullable Throwable failure, Consumer<T> undo, CompletableFuture<T> result) {
        if (failure != null) {
            fail(result, failure);
        } else if (!result.complete(value)) {
            undo.accept(value);
        }
    }

    private static void fail(CompletableFuture<?> result, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        result.completeExceptionally(cause);
    }

    private UrmaException closedFailure() {
        return new UrmaException(UrmaStatus.EINVAL, engine, "is closed");
    }
}
