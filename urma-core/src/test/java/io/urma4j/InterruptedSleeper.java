package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A thread that waits with its interrupt flag set. */
final class InterruptedSleeper {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Thread thread;
    private final CompletableFuture<Boolean> flag;

    private InterruptedSleeper(Thread thread, CompletableFuture<Boolean> flag) {
        this.thread = thread;
        this.flag = flag;
    }

    static InterruptedSleeper start(Runnable wait) {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            try {
                wait.run();
                flag.complete(Thread.interrupted());
            } catch (RuntimeException e) {
                flag.completeExceptionally(e);
            }
        });
        return new InterruptedSleeper(thread, flag);
    }

    /** Until it sleeps; one that spins never does. */
    void awaitSleep() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime() - deadline).as("it still spins").isNegative();
            assertThat(flag).as("the end of its wait").isNotDone();
            Thread.onSpinWait();
        }
    }

    void assertEndsInterrupted() {
        assertThat(flag).succeedsWithin(LIMIT).isEqualTo(true);
    }
}
