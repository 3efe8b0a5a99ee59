package io.urma4j.shm.control;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineTest {
    private static final int WAKES = 20_000;

    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicLong delayNanos = new AtomicLong(Long.MAX_VALUE);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Engine engine = new Engine("test-engine", this::turn, () -> ended.complete(null));

    private long turn(long now) {
        turns.incrementAndGet();
        return delayNanos.get();
    }

    @AfterEach
    void stopped() throws Exception {
        assertThat(engine.execute(engine::stop)).isTrue();
        ended.get(10, SECONDS);
        assertThat(engine.execute(() -> {})).isFalse();
        engine.wake();
    }

    /** Each task runs, whatever the engine was about to do. */
    @Test
    void noWakeIsLost() throws Exception {
        engine.start();
        for (int i = 0; i < WAKES; i++) {
            CountDownLatch ran = new CountDownLatch(1);
            assertThat(engine.execute(ran::countDown)).isTrue();
            assertThat(ran.await(10, SECONDS)).as("task %d", i).isTrue();
        }
    }

    @Test
    void sleepsWhenNothingIsToDo() {
        engine.start();
        await().until(() -> turns.get() > 0);
        int before = turns.get();

        await().pollDelay(Duration.ofMillis(200)).until(() -> turns.get() <= before + 1);
    }

    @Test
    void takesATurnWhenItsDelayIsOver() {
        delayNanos.set(1_000_000);
        engine.start();

        await().until(() -> turns.get() > 20);
    }

    @Test
    void eachSignalOfAWatchedDescriptorIsARound() {
        AtomicInteger seen = new AtomicInteger();
        try (EventFd event = EventFd.create()) {
            CompletableFuture<Engine.Watch> watch = new CompletableFuture<>();
            engine.start();
            engine.execute(() -> watch.complete(
                    engine.watch(event.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, events -> seen.incrementAndGet())));
            watch.join();
            for (int i = 1; i <= 100; i++) {
                event.signal();
                int wanted = i;
                await().pollInterval(Duration.ofMillis(1)).until(() -> seen.get() >= wanted);
            }
            CompletableFuture<Void> removed = new CompletableFuture<>();
            engine.execute(() -> {
                watch.join().end();
                removed.complete(null);
            });
            removed.join();
        }
    }

    @Test
    void outlivesWhatFails() throws Exception {
        engine.start();
        engine.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<Void> after = new CompletableFuture<>();
        engine.execute(() -> after.complete(null));

        after.get(10, SECONDS);
    }
}
