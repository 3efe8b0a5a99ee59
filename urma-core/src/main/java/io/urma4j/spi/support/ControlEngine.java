package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a context, as its control plane uses it: a thread that owns the state of the control plane, and timers.
 * Its text names it in messages. For any thread, except where stated.
 */
public interface ControlEngine {
    /** The time of the control plane. */
    long nanos();

    /** Runs an action at a deadline. The engine's thread. */
    Timers.Timer at(long deadlineNanos, Runnable action);

    /** Runs an action after a delay. The engine's thread. */
    default Timers.Timer after(long delayNanos, Runnable action) {
        return at(nanos() + delayNanos, action);
    }

    /** Runs a caller's step on the engine's thread; false if the engine has ended and never will. */
    boolean submit(Runnable step);

    /** Whether callers' steps are refused as closed, although the engine still runs. The engine's thread. */
    default boolean isClosed() {
        return false;
    }

    /** A caller waits for a result that no step has completed yet: the end of the engine fails it. The engine's thread. */
    default void awaits(CompletableFuture<?> result) {}

    /** The deadline of a timeout that starts now. */
    default long deadline(Duration timeout) {
        long longest = Long.MAX_VALUE / 4; // so that sums and differences do not overflow
        long nanos = timeout.compareTo(Duration.ofNanos(longest)) >= 0 ? longest : timeout.toNanos();
        return nanos() + nanos;
    }

    /**
     * Runs a step on the engine's thread, and returns its result. The caller must hold no lock that a step might wait for.
     * The future completes on the engine's thread, so dependent stages must not block; the core passes results to its users
     * on separate threads.
     */
    default <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> step) {
        return ask(step, _ -> {});
    }

    /**
     * Like the other form.
     *
     * @param undo for a result of a call that its caller has cancelled
     */
    default <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> step, Consumer<T> undo) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (!submit(() -> run(step, undo, result))) {
            result.completeExceptionally(refusal());
        }
        return result;
    }

    private <T> void run(Supplier<CompletableFuture<T>> step, Consumer<T> undo, CompletableFuture<T> result) {
        if (isClosed()) {
            result.completeExceptionally(refusal());
            return;
        }
        try {
            var _ = step.get().whenComplete((value, failure) -> handOver(value, failure, undo, result));
            if (!result.isDone()) {
                awaits(result);
            }
        } catch (RuntimeException | Error e) { // whatever it is, the caller waits for it
            result.completeExceptionally(causeOf(e));
        }
    }

    private static <T> void handOver(
            T value, @Nullable Throwable failure, Consumer<T> undo, CompletableFuture<T> result) {
        if (failure != null) {
            result.completeExceptionally(causeOf(failure));
        } else if (!result.complete(value)) {
            undo.accept(value);
        }
    }

    /** The failure of what an ended engine does not do. */
    default UrmaException refusal() {
        return new UrmaException(UrmaStatus.EINVAL, this, "is closed");
    }

    /** The failure of a step, without the wrapping by later stages. */
    static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
