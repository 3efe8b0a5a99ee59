package io.urma4j.internal;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The blocking form of an asynchronous control call. */
public final class Await {
    private Await() {}

    /**
     * Waits for {@code future}, which has a deadline of its own (S12.6).
     *
     * @throws UrmaException what the call failed with; EAGAIN when the thread was interrupted before the result was there.
     *     Either way its flag is set again
     */
    public static <T> T result(Object object, Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (!future.cancel(false) && future.state() == Future.State.SUCCESS) {
                return future.resultNow(); // which no other thread would close
            }
            throw new UrmaException(UrmaStatus.EAGAIN, object, "the waiting thread was interrupted", e);
        } catch (ExecutionException e) {
            throw unwrapped(object, e);
        }
    }

    /**
     * As {@link #result}, for what a close waits for: an interrupt does not leave it half done. The flag is set again
     * afterwards; the future's own deadline bounds the wait.
     */
    public static <T> T uninterrupted(Object object, Future<T> future) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw unwrapped(object, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether {@code future} ends within that time, with a result or a failure. An interrupt waits, as in {@link #uninterrupted}. */
    public static boolean endsWithin(long withinNanos, CompletableFuture<?> future) {
        CompletableFuture<Boolean> inTime =
                future.handle((_, _) -> true).completeOnTimeout(false, withinNanos, TimeUnit.NANOSECONDS);
        return uninterrupted(future, inTime);
    }

    /** What {@code call} begins; what it throws is its result. */
    public static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Completes {@code future} as a stage has ended: with its result, or with what it really failed with. */
    public static <T> void passOn(@Nullable T result, @Nullable Throwable failure, CompletableFuture<T> future) {
        if (failure != null) {
            future.completeExceptionally(causeOf(failure));
        } else {
            future.complete(result);
        }
    }

    /** What a future really failed with: without the wrappers that stages put around it. */
    public static Throwable causeOf(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The {@code UrmaException} in {@code failure}, with the stack of the caller added. */
    private static UrmaException unwrapped(Object object, Throwable failure) {
        Throwable cause = causeOf(failure);
        if (cause instanceof UrmaException urma) {
            urma.addSuppressed(new WaitedHere());
            return urma;
        }
        return new UrmaException(UrmaStatus.FAIL, object, String.valueOf(cause.getMessage()), cause);
    }

    /** The stack of the thread that waited; the failure's own stack is that of the thread that answered. */
    private static final class WaitedHere extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WaitedHere() {
            super("waited for here");
        }
    }
}
