package io.urma4j.shm.control;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
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

    private boolean engineIsOver;

    private long turn(long now) {
        turns.incrementAndGet();
        return delayNanos.get();
    }

    @AfterEach
    void stopped() throws Exception {
        assertThat(engine.execute(engine::stop)).isEqualTo(!engineIsOver);
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

    /** S12.3: the answer that lay there when the time was over is no timeout. */
    @Test
    void whatArrivedDuringAStandstillComesBeforeTheTimes() {
        List<String> order = new CopyOnWriteArrayList<>();
        try (EventFd arrival = EventFd.create()) {
            Engine.Watch watch =
                    engine.watch(arrival.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, events -> order.add("input"));
            engine.start();
            engine.execute(() -> {
                engine.after(1_000_000, () -> order.add("time"));
                LockSupport.parkNanos(20_000_000); // the engine stands still; meanwhile:
                arrival.signal();
            });

            await().until(() -> order.size() == 2);
            assertThat(order).containsExactly("input", "time");
            CountDownLatch over = new CountDownLatch(1);
            engine.execute(() -> {
                watch.end();
                over.countDown();
            });
            await().until(() -> over.getCount() == 0);
        }
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

    @Test
    void aCallersStepRunsAtOnceOnItsOwnThreadWhileTheEngineSleeps() {
        engine.start();
        await().until(() -> turns.get() > 0);
        AtomicInteger here = new AtomicInteger();

        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            Thread caller = Thread.currentThread();
            assertThat(engine.submit(() -> here.addAndGet(caller.equals(Thread.currentThread()) ? 1 : 0)))
                    .isTrue();
            return here.get() >= 100;
        });
    }

    @Test
    void aStepWithinAStepComesAfterIt() {
        engine.start();
        List<String> order = new CopyOnWriteArrayList<>();

        engine.submit(() -> {
            engine.submit(() -> order.add("inner"));
            order.add("outer");
        });

        await().untilAsserted(() -> assertThat(order).containsExactly("outer", "inner"));
    }

    /** Steps of many threads and of the engine are never in at the same time, and none is lost. */
    @Test
    void stepsOfManyThreadsRunOnceEachAndOneAtATime() throws Exception {
        engine.start();
        int[] count = {0}; // of who is in: a race would lose some
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean here = i % 2 == 0;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < WAKES; n++) {
                    Runnable step = () -> count[0]++;
                    assertThat(here ? engine.submit(step) : engine.execute(step))
                            .isTrue();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        CompletableFuture<Integer> counted = new CompletableFuture<>();
        engine.execute(() -> counted.complete(count[0]));

        assertThat(counted.get(10, SECONDS)).isEqualTo(4 * WAKES);
    }

    @Test
    void aTimeThatACallersStepSetsIsKeptThoughTheEngineWouldSleepOn() throws Exception {
        engine.start();
        await().until(() -> turns.get() > 0);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Void> came = new CompletableFuture<>();
            engine.submit(() -> engine.after(1_000_000, () -> came.complete(null)));
            came.get(10, SECONDS);
        }
    }

    @Test
    void aTimeThatWasCancelledCostsOneRoundAtMost() {
        engine.start();
        await().until(() -> turns.get() > 0);
        for (int i = 0; i < 1000; i++) {
            engine.submit(() -> engine.after(50_000_000, () -> {}).cancel());
        }
        int before = turns.get();

        await().pollDelay(Duration.ofMillis(200)).until(() -> turns.get() <= before + 2);
    }

    @Test
    void aCallersStepMayEndTheEngine() throws Exception {
        engine.start();
        await().until(() -> turns.get() > 0);

        assertThat(engine.submit(engine::stop)).isTrue();

        ended.get(10, SECONDS);
        assertThat(engine.submit(() -> {})).isFalse();
        engineIsOver = true;
    }
}
