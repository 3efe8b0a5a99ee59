package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All contexts of a device depend on its engine: it goes on whatever fails. */
class EngineThreadTest {
    @Test
    void aTurnThatFailsIsRepeatedAndEndsNothing(@TempDir Path runtime) throws Exception {
        try (LoneContext lone = new LoneContext(runtime, "127.0.73.2", 8)) {
            AtomicInteger runs = new AtomicInteger();
            CompletableFuture<Integer> second = new CompletableFuture<>();
            lone.adapter.engine().add(_ -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("of a test");
                }
                second.complete(runs.get());
                return Long.MAX_VALUE;
            });

            assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(2);
            CompletableFuture<Void> asked = lone.adapter.engine().ask(() -> CompletableFuture.completedFuture(null));
            asked.get(20, TimeUnit.SECONDS);
        }
    }
}
