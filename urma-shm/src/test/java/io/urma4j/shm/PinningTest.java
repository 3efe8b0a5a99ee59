package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.SharedJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** S11.4: a virtual thread that waits for events releases its carrier; the JVM itself reports pinning. */
@Timeout(60)
class PinningTest {
    private static final int MESSAGES = 50;

    @TempDir
    private Path runtime;

    @Test
    void waitForMessagesPinsNoCarrier() throws Exception {
        List<RecordedEvent> pinned = recordedWhile(this::exchangeMessagesOnVirtualThreads);

        assertThat(pinned.stream()
                        .filter(event -> String.valueOf(event.getStackTrace()).contains("io.urma4j")))
                .isEmpty();
    }

    @Test
    void recordingWouldHearOfPinning() throws Exception {
        List<RecordedEvent> pinned = recordedWhile(() -> {
            // a thread is pinned while a class is being initialized
            Thread.startVirtualThread(() -> LockSupport.parkNanos(Parks.NANOS)).join();
        });

        assertThat(pinned).isNotEmpty();
    }

    private static final class Parks {
        static final long NANOS = nap();

        private static long nap() {
            LockSupport.parkNanos(20_000_000);
            return 1;
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private List<RecordedEvent> recordedWhile(Work work) throws Exception {
        Path file = runtime.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return read(file);
    }

    private static List<RecordedEvent> read(Path file) throws IOException {
        return RecordingFile.readAllEvents(file);
    }

    private void exchangeMessagesOnVirtualThreads() throws Exception {
        try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime.resolve("urma")));
                var receiver = urma.device("shm0").openContext();
                var sender = urma.device("shm0").openContext()) {
            var jfce = receiver.createJfce();
            var jfc = receiver.createJfc(JfcConfig.DEFAULT, jfce);
            var jfr = receiver.createJfr(jfc, JfrConfig.builder().build());
            var buffer = receiver.register(receiver.allocate(64), Access.LOCAL_ONLY);
            var target = sender.importJetty(new SharedJetty(jfr.descriptor(), jfr.token()));
            var source = sender.register(sender.allocate(64), Access.LOCAL_ONLY);
            var jfs = sender.createJfs(sender.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
            for (int i = 0; i < MESSAGES; i++) {
                jfr.receive(buffer, 0, 64, i);
            }
            var taking = Thread.ofVirtual().start(() -> {
                var batch = new CompletionBatch(1);
                int taken = 0;
                while (taken < MESSAGES) {
                    jfc.rearm(false);
                    try {
                        assertThat(jfce.await(Duration.ofSeconds(20))).contains(jfc);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    for (int count = jfc.poll(batch); count > 0; count = jfc.poll(batch)) {
                        taken += count;
                    }
                }
            });
            for (int i = 0; i < MESSAGES; i++) {
                LockSupport.parkNanos(1_000_000); // so that each is waited for
                jfs.send(target, source, 0, 8, i);
            }
            assertThat(taking.join(Duration.ofSeconds(30))).isTrue();
        }
    }
}
