package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryBudgetTest {
    private static final long FREE_BYTES = 64L << 20;

    @TempDir
    Path root;

    private final MemoryBudget budget = new MemoryBudget();

    @BeforeEach
    void machineWithSomeMemory() throws IOException {
        free(FREE_BYTES);
    }

    private void free(long bytes) throws IOException {
        Path file = root.resolve("proc/meminfo");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "MemAvailable: " + bytes / 1024 + " kB\nSwapFree: 0 kB\n");
    }

    private void take(long bytes) {
        budget.take("it", bytes, new MemoryLimits(root));
    }

    @Test
    void theFirstIsCompared() {
        assertThatThrownBy(() -> take(FREE_BYTES + 1)).isInstanceOf(UrmaException.class);
    }

    @Test
    void whatIsMoreThanASmallPartOfWhatWasFreeIsComparedAnew() throws IOException {
        take(4096);
        free(0);

        assertThatThrownBy(() -> take(FREE_BYTES / 32)).hasMessageContaining("leaves 0");
    }

    @Test
    void manySmallOnesAreComparedAnewInTime() {
        assertThatThrownBy(() -> {
                    take(4096);
                    free(0);
                    for (long taken = 0; taken <= FREE_BYTES / 32; taken += 4096) {
                        take(4096);
                    }
                })
                .hasMessageContaining("leaves 0");
    }
}
