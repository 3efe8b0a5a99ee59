package io.urma4j.shm.control;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.libc.Epoll;
import io.urma4j.libc.EventFd;
import io.urma4j.spi.support.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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
    private volatile boolean isFailing;

    private long turn(long now) {
        turns.incrementAndGet();
        if (isFailing) {
            throw new IllegalStateException("on purpose");
        }
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

    /** S12.6: timers and peers complete nothing any more. */
    @Test
    void resultsThatAreOpenAtItsEndFail() throws Exception {
        engine.start();
        CompletableFuture<Void> open = engine.ask(CompletableFuture::new);
        CompletableFuture<Integer> done = engine.ask(() -> CompletableFuture.completedFuture(7));
        assertThat(done.get(10, SECONDS)).isEqualTo(7);
        assertThat(open).isNotDone();

        engine.execute(engine::stop);
        ended.get(10, SECONDS);
        engineIsOver = true;

        assertThat(open).isCompletedExceptionally();
        assertThatThrownBy(open::join).hasMessageContaining("is closed");
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
        int[] count = {0}; // of threads inside: a race would lose increments
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

    // ---- the order and the number of rounds

    /** Descriptors that are ready at each wait, as many as one wait reports and more. */
    private static final class Crowd implements AutoCloseable {
        private final List<EventFd> signalled = new ArrayList<>();
        private final List<Engine.Watch> watches = new ArrayList<>();

        Crowd(Engine engine, int size, int events, IntConsumer source) {
            for (int i = 0; i < size; i++) {
                signalled.add(EventFd.create());
                watches.add(engine.watch(signalled.getLast().fd(), Epoll.IN | events, source));
            }
        }

        void signal() {
            signalled.forEach(EventFd::signal);
        }

        /** On the engine's thread. */
        void unwatch() {
            watches.forEach(Engine.Watch::end);
        }

        @Override
        public void close() {
            signalled.forEach(EventFd::close);
        }
    }

    private void onEngine(Runnable step) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        engine.execute(() -> {
            step.run();
            done.complete(null);
        });
        done.get(10, SECONDS);
    }

    @Test
    void allInputThatHasArrivedPrecedesTheTimersAlsoIfOneWaitCannotReportIt() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        try (Crowd crowd = new Crowd(engine, 150, Epoll.EDGE_TRIGGERED, events -> order.add("input"))) {
            engine.start();
            onEngine(() -> {
                engine.after(1, () -> order.add("time"));
                crowd.signal();
            });

            await().until(() -> order.contains("time"));
            assertThat(order).hasSize(151).last().isEqualTo("time");
            onEngine(crowd::unwatch);
        }
    }

    @Test
    void inputWithoutEndDoesNotStopTheTimers() throws Exception {
        try (Crowd crowd = new Crowd(engine, 64, 0, events -> {})) {
            crowd.signal();
            engine.start();
            CompletableFuture<Integer> first = new CompletableFuture<>();
            CompletableFuture<Integer> second = new CompletableFuture<>();
            onEngine(() -> engine.after(1, () -> {
                first.complete(turns.get());
                engine.after(1, () -> second.complete(turns.get()));
            }));

            int rounds = second.get(10, SECONDS) - first.get();

            assertThat(rounds)
                    .as("rounds of input between two rounds with timers")
                    .isEqualTo(65);
            onEngine(crowd::unwatch);
        }
    }

    @Test
    void aWatchThatEndsInARoundIsNotCalledInIt() throws Exception {
        List<Engine.Watch> watches = new ArrayList<>();
        AtomicInteger called = new AtomicInteger();
        try (EventFd one = EventFd.create();
                EventFd other = EventFd.create()) {
            IntConsumer source = events -> {
                called.incrementAndGet();
                watches.forEach(Engine.Watch::end);
            };
            watches.add(engine.watch(one.fd(), Epoll.IN, source));
            watches.add(engine.watch(other.fd(), Epoll.IN, source));
            one.signal();
            other.signal();
            engine.start();

            await().until(() -> called.get() > 0);
            onEngine(() -> {});
            assertThat(called).hasValue(1);
        }
    }

    @Test
    void aSignalIsReportedToItsOwnSourceOnce() throws Exception {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (EventFd one = EventFd.create();
                EventFd other = EventFd.create()) {
            Engine.Watch watchOne =
                    engine.watch(one.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, _ -> first.incrementAndGet());
            Engine.Watch watchOther =
                    engine.watch(other.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, _ -> second.incrementAndGet());
            engine.start();
            onEngine(() -> {
                one.signal();
                other.signal();
            });
            await().until(() -> second.get() == 1);
            onEngine(one::signal);
            await().until(() -> first.get() == 2);
            onEngine(() -> {});
            assertThat(second).hasValue(1);
            onEngine(() -> {
                watchOne.end();
                watchOther.end();
            });
        }
    }

    @Test
    void callersStepsCostTheEngineNoRound() {
        engine.start();
        await().until(() -> turns.get() > 0);
        int before = turns.get();

        for (int i = 0; i < 1000; i++) {
            engine.submit(() -> {});
            LockSupport.parkNanos(1000); // so that a woken engine would get through its round
        }

        assertThat(turns.get()).isLessThan(before + 50);
    }

    /** The deadlines of requests move on, and nearly all requests are answered before: no wake-up for each. */
    @Test
    void aRequestCostsNoRoundWhileAnEarlierWakeUpIsPlanned() throws Exception {
        long farNanos = SECONDS.toNanos(20);
        engine.start();
        AtomicReference<Timers.Timer> planned = new AtomicReference<>();
        engine.submit(() -> planned.set(engine.after(farNanos, () -> {})));
        onEngine(() -> {}); // a round in which the engine plans to wake up then
        onEngine(planned.get()::cancel);
        onEngine(() -> {}); // a round without any timer
        int before = settledTurns();

        engine.submit(() -> planned.set(engine.after(2 * farNanos, () -> {})));

        assertThat(settledTurns()).isEqualTo(before);
    }

    /** The number of turns once the engine sleeps. */
    private int settledTurns() {
        AtomicInteger last = new AtomicInteger(-1);
        await().pollInterval(Duration.ofMillis(100)).until(() -> {
            int now = turns.get();
            return last.getAndSet(now) == now;
        });
        return last.get();
    }

    @Test
    void aDataPlaneThatFailsIsReportedOnceAndTriedAgain() throws Exception {
        var log = Logger.getLogger(Engine.class.getName());
        List<String> reports = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                reports.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try {
            isFailing = true;
            engine.start();
            await().until(() -> turns.get() > 5);
            assertThat(reports).singleElement().asString().contains("the data plane failed");
            isFailing = false;
            int before = turns.get();
            engine.wake();
            await().until(() -> turns.get() > before);
            isFailing = true;
            engine.wake();
            await().until(() -> reports.size() == 2);
            isFailing = false;
        } finally {
            log.removeHandler(handler);
        }
    }

    @Test
    void anEngineWithoutTimersSleepsUntilItIsWoken() throws Exception {
        engine.start();
        int before = settledTurns();

        onEngine(() -> {});

        assertThat(settledTurns()).isBetween(before + 1, before + 2);
    }
}
