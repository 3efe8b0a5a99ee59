package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine leaves the card to a thread that polls all the time, and is there again when that thread goes. */
class RestTest {
    private static final VarHandle U64 = ValueLayout.JAVA_LONG.varHandle();
    private static final long POLLING_NANOS = 20_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private static Path runtime;

    private final Urma here = open("127.0.71.21");
    private final Urma there = open("127.0.71.22");
    private final CompletionBatch batch = new CompletionBatch(16);

    private LocalSegment local;
    private Jfc jfc;
    private Jfs jfs;

    private LocalSegment home;
    private Jfc homeJfc;
    private Jfce homeJfce;
    private Jfr homeJfr;

    private RemoteSegment remote;
    private TargetJetty target;

    private static Urma open(String address) {
        return Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime).withSetting("urma.udma.addresses", address));
    }

    @BeforeEach
    void openInitiatorAndHome() {
        UrmaContext homeContext = there.device("udma0").openContext();
        home = homeContext.register(homeContext.allocate(4096), Access.READ_WRITE_ATOMIC);
        homeJfce = homeContext.createJfce();
        homeJfc = homeContext.createJfc(JfcConfig.DEFAULT, homeJfce);
        homeJfr = homeContext.createJfr(homeJfc, JfrConfig.builder().build());
        UrmaContext context = here.device("udma0").openContext();
        local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
        remote = context.importSegment(SharedSegment.parse(home.share()));
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfs = context.createJfs(jfc, JfsConfig.builder().build());
        target = context.importJetty(SharedJetty.parse(homeJfr.share()));
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    /** So long that the engine rests. */
    private void poll(Jfc polled) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < POLLING_NANOS) {
            polled.poll(batch);
        }
    }

    private void awaitSuccess() {
        long start = System.nanoTime();
        while (jfc.poll(batch) == 0) {
            assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        }
        assertThat(batch.isSuccess(0)).isTrue();
    }

    @RepeatedTest(5)
    void aHomeThatStopsPollingIsServedByItsEngine() {
        for (int i = 0; i < 3; i++) {
            poll(homeJfc);
            jfs.write(remote, 0, local, 0, 8, i);
            awaitSuccess();
        }
    }

    @RepeatedTest(5)
    void aWorkRequestOfWhoDoesNotPollOnIsSentAndAnsweredAllTheSame() {
        poll(jfc);
        local.memory().set(ValueLayout.JAVA_LONG, 8, 4711);
        jfs.write(remote, 0, local, 8, 8, 1);
        jfs.write(remote, 8, local, 8, 8, 1); // might wait for the next poll

        long start = System.nanoTime();
        while ((long) U64.getAcquire(home.memory(), 8L) != 4711) {
            assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
            Thread.onSpinWait();
        }
    }

    @RepeatedTest(5)
    void anEventComesToWhoPolledAMomentBefore() throws InterruptedException {
        homeJfr.receive(home, 0, 64, 1);
        poll(homeJfc);
        homeJfc.rearm(false);
        homeJfc.poll(batch);
        jfs.send(target, local, 0, 8, 1);

        assertThat(homeJfce.await(PATIENCE)).contains(homeJfc);
        awaitSuccess();
    }

    @Test
    void whatWasHeldIsToldBeforeTheEnd() {
        homeJfr.receive(home, 0, 64, 1);
        poll(homeJfc);
        jfs.send(target, local, 0, 8, 1);
        while (homeJfc.poll(batch) == 0) {
            Thread.onSpinWait();
        }
        there.close(); // the acknowledgement had no other occasion to leave

        assertThatCode(this::awaitSuccess).doesNotThrowAnyException();
    }
}
