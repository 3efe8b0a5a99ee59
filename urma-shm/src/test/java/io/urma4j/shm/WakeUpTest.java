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
import java.util.Arrays;
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
 * Who waits is woken by the message and not by the clock: the engine looks around once a second in any case, which would
 * hide a wake-up that is lost.
 */
@Timeout(60)
class WakeUpTest {
    private static final int TRIES = 7;

    /** Far below the engine's own second, far above what a busy machine needs for a wake-up. */
    private static final Duration SOON = Duration.ofMillis(400);

    /** Until everybody sleeps who will. */
    private static final long FALL_ASLEEP_NANOS = 30_000_000;

    @TempDir
    Path directory;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
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
        long[] tookNanos = new long[TRIES];

        for (int i = 0; i < TRIES; i++) {
            jfr.receive(buffer, 0, 4096, i);
            Future<Long> heard = waiter(jfce, jfc);
            LockSupport.parkNanos(FALL_ASLEEP_NANOS);
            long start = System.nanoTime();
            assertThat(jfs.send(target, source, 0, 8, i)).isTrue();
            tookNanos[i] = heard.get(20, TimeUnit.SECONDS) - start;
            while (sendJfc.poll(batch) == 0) {
                Thread.onSpinWait();
            }
        }

        assertSoon(tookNanos);
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
        long[] tookNanos = new long[TRIES];

        for (int i = 0; i < TRIES; i++) {
            jfr.receive(buffer, 0, 4096, i);
            Future<Long> heard = waiter(jfce, sendJfc);
            LockSupport.parkNanos(FALL_ASLEEP_NANOS);
            long start = System.nanoTime();
            assertThat(jfs.send(target, source, 0, 8, i)).isTrue();
            tookNanos[i] = heard.get(20, TimeUnit.SECONDS) - start; // there, nobody polls but the engine
            while (jfc.poll(batch) == 0) {
                Thread.onSpinWait();
            }
        }

        assertSoon(tookNanos);
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

    private static void assertSoon(long[] tookNanos) {
        Arrays.sort(tookNanos);
        assertThat(Duration.ofNanos(tookNanos[TRIES / 2]))
                .as("median of %s ns", Arrays.toString(tookNanos))
                .isLessThan(SOON);
    }
}
