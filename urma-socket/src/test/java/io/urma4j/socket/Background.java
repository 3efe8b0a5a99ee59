package io.urma4j.socket;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Calls on threads of their own, since those of a pool may all wait. */
public final class Background {
    /** What has no result. */
    public interface Action {
        void run() throws Exception;
    }

    private Background() {}

    public static <T> CompletableFuture<T> call(Callable<T> call) {
        CompletableFuture<T> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                ended.complete(call.call());
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        return ended;
    }

    public static CompletableFuture<Void> run(Action action) {
        return call(() -> {
            action.run();
            return null;
        });
    }
}
