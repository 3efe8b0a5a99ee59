package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The thread whose copy a revocation ends. */
class FencedThreadTest {
    private static final int SIZE_BYTES = 1 << 20;
    private static final int TIMES = 40; // about every second one hits a copy

    @TempDir
    Path folder;

    @Test
    void isNotInterruptedByTheRevocation() throws Exception {
        try (var urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")));
                var home = urma.device("shm0").openContext();
                var initiator = urma.device("shm0").openContext()) {
            for (int i = 0; i < TIMES; i++) {
                var segment = home.register(home.allocate(SIZE_BYTES), Access.READ_WRITE);
                var writer = new Writer(initiator, SharedSegment.parse(segment.share()));
                var thread = Thread.ofPlatform().start(writer);
                writer.began.await();
                segment.close();

                assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
                assertThat(writer.last).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                assertThat(writer.interrupted).as("in round %d", i).isFalse();
            }
        }
    }

    /** Writes until a write fails. */
    private static final class Writer implements Runnable {
        final CountDownLatch began = new CountDownLatch(1);
        volatile CompletionStatus last = CompletionStatus.SUCCESS;
        volatile boolean interrupted;

        private final UrmaContext context;
        private final SharedSegment shared;

        Writer(UrmaContext context, SharedSegment shared) {
            this.context = context;
            this.shared = shared;
        }

        @Override
        public void run() {
            var remote = context.importSegment(shared);
            var source = context.register(context.allocate(SIZE_BYTES), Access.LOCAL_ONLY);
            var jfc = context.createJfc(JfcConfig.DEFAULT);
            var jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
            var batch = new CompletionBatch(1);
            while (last == CompletionStatus.SUCCESS) {
                assertThat(jfs.write(remote, 0, source, 0, SIZE_BYTES, 0)).isTrue();
                began.countDown();
                while (jfc.poll(batch) == 0) {
                    Thread.onSpinWait();
                }
                last = batch.status(0);
            }
            interrupted = Thread.interrupted();
        }
    }
}
