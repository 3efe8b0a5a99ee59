package io.urma4j.internal;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** The blocking form of an asynchronous control call. */
public final class Await {
    private Await() {}

    /**
     * Waits for {@code future}, which has a deadline of its own (S12.6).
     *
     * @throws UrmaException what the call failed with; EAGAIN when the thread was interrupted, its flag set again
     */
    public static <T> T result(Object object, Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            future.cancel(false);
            throw new UrmaException(UrmaStatus.EAGAIN, object, "the waiting thread was interrupted", e);
        } catch (ExecutionException e) {
            throw unwrapped(object, e.getCause() == null ? e : e.getCause());
        }
    }

    /** The {@code UrmaException} in {@code failure}, with the stack of the caller added. */
    private static UrmaException unwrapped(Object object, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
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
