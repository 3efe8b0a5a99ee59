package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The border between callers and the engine: it passes steps in and results out.
 *
 * <p>A result is completed on the engine's thread. Dependent stages there must not block: the core passes results to its
 * users on separate threads.
 */
final class Callers {
    private final Engine engine;
    private boolean closed; // the engine's thread

    Callers(Engine engine) {
        this.engine = engine;
    }

    /** Refuses every step as closed from now on. On the engine's thread. */
    void close() {
        closed = true;
    }

    /**
     * Runs a step on the engine's thread, or at once on this one while the engine sleeps, and returns its result. The
     * caller must hold no lock that a step might wait for.
     */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> step) {
        return ask(step, unwanted -> {});
    }

    /**
     * Like the other form.
     *
     * @param undo for a result of a call that its caller has cancelled
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
