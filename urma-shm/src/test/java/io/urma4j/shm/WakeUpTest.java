package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A waiting thread is woken by the message and not by the clock: the engine checks the rings once a second in any case,
 * which would hide a lost wake-up.
 */
@Timeout(60)
class WakeUpTest {
    private static final int TRIES = 7;

    /** Below the engine's own second, from which its time asleep before the try is taken. */
    private static final Duration SOON = Duration.ofMillis(800);

    /** After a standstill of the machine this long, a slow try proves nothing, and is repeated. */
    private static final Duration STANDSTILL = Duration.ofMillis(100);

    private static final int MOST_TRIES = 100;

    /** The time after which idle threads are asleep. */
    private static final long FALL_ASLEEP_NANOS = 30_000_000;

    @TempDir
    Path directory;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Pacer pacer = new Pacer();
    private final CompletionBatch batch = new CompletionBatch(8);
    private Urma urma;
    private UrmaContext here;
    private UrmaContext there;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory.resolve("runtime")));
        here = urma.device("shm0").openContext();
        there = urma.device("shm0").openContext();
    }

    @AfterEach
    void close() {
        thread.shutdownNow();
        pacer.close();
        urma.close();
    }

    @Test
    void aReceiverThatSleepsIsWokenByTheMessage() throws Exception {
        Jfce jfce = there.createJfce();
        Jfc jfc = there.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = there.createJfr(jfc, JfrConfig.builder().build());
        LocalSegment buffer = there.register(there.allocate(4096), Access.LOCAL_ONLY);
        var sendJfc = here.createJfc(JfcConfig.DEFAULT);
        var jfs = here.createJfs(sendJfc, JfsConfig.DEFAULT);
        TargetJetty target = here.importJetty(new SharedJetty(jfr.descriptor(), jfr.token()));
        LocalSegment source = here.register(here.allocate(64), Access.LOCAL_ONLY);
        Wakes wakes = new Wakes();

        for (int i = 0; wakes.wantMore(i); i++) {
            jfr.receive(buffer, 0, 4096, i);
            Future<Long> heard = waiter(jfce, jfc);
            LockSupport.parkNanos(FALL_ASLEEP_NANOS);
            long start = System.nanoTime();
            assertThat(jfs.send(target, source, 0, 8, i)).isTrue();
            wakes.took(heard.get(20, TimeUnit.SECONDS) - start, pacer.worstNanos(start));
            while (sendJfc.poll(batch) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aSenderThatSleepsIsWokenByTheAnswer() throws Exception {
        Jfce jfce = here.createJfce();
        Jfc sendJfc = here.createJfc(JfcConfig.DEFAULT, jfce);
        var jfs = here.createJfs(sendJfc, JfsConfig.DEFAULT);
        Jfc jfc = there.createJfc(JfcConfig.DEFAULT);
        var jfr = there.createJfr(
                jfc, JfrConfig.builder().minRnrTimer(Duration.ofNanos(100_000)).build());
        LocalSegment buffer = there.register(there.allocate(4096), Access.LOCAL_ONLY);
        TargetJetty target = here.importJetty(new SharedJetty(jfr.descriptor(), jfr.token()));
        LocalSegment source = here.register(here.allocate(64), Access.LOCAL_ONLY);
        Wakes wakes = new Wakes();

        for (int i = 0; wakes.wantMore(i); i++) {
            jfr.receive(buffer, 0, 4096, i);
            Future<Long> heard = waiter(jfce, sendJfc);
            LockSupport.parkNanos(FALL_ASLEEP_NANOS);
            long start = System.nanoTime();
            assertThat(jfs.send(target, source, 0, 8, i)).isTrue();
            wakes.took(
                    heard.get(20, TimeUnit.SECONDS) - start, pacer.worstNanos(start)); // there, only the engine polls
            while (jfc.poll(batch) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** "Poll until empty, rearm, wait"; the time at which a record was there. */
    private Future<Long> waiter(Jfce jfce, Jfc jfc) {
        return thread.submit(() -> {
            var records = new CompletionBatch(8);
            while (jfc.poll(records) == 0) {
                jfc.rearm(false);
                jfce.await(Duration.ofSeconds(10));
            }
            return System.nanoTime();
        });
    }

    /** Each must be soon, so that not one lost wake-up is hidden among others; but a busy machine is no lost wake-up. */
    private static final class Wakes {
        private int soon;

        boolean wantMore(int tries) {
            assertThat(tries)
                    .as("tries on a machine that always stands still; %d were soon", soon)
                    .isLessThan(MOST_TRIES);
            return soon < TRIES;
        }

        void took(long nanos, long standstillNanos) {
            if (nanos < SOON.toNanos()) {
                soon++;
            } else {
                assertThat(Duration.ofNanos(standstillNanos))
                        .as("a wake-up took %d ms, for which the machine must have stood still", nanos / 1_000_000)
                        .isGreaterThan(STANDSTILL);
            }
        }
    }

    /** A thread that wants to run every few milliseconds; how late it comes shows what the machine does. */
    private static final class Pacer implements AutoCloseable {
        private static final long PACE_NANOS = 5_000_000;

        private final Thread thread = Thread.ofPlatform().daemon().name("pacer").start(this::run);
        private volatile long lastNanos = System.nanoTime();
        private volatile long worstNanos;
        private volatile boolean closed;

        private void run() {
            while (!closed) {
                LockSupport.parkNanos(PACE_NANOS);
                long now = System.nanoTime();
                worstNanos = Math.max(worstNanos, now - lastNanos);
                lastNanos = now;
            }
        }

        /** The longest time without a turn since it was asked the last time. */
        long worstNanos(long sinceNanos) {
            long worst = Math.max(worstNanos, System.nanoTime() - Math.max(lastNanos, sinceNanos));
            worstNanos = 0;
            return worst;
        }

        @Override
        public void close() {
            closed = true;
            LockSupport.unpark(thread);
        }
    }
}
