package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitsTest {
    @TempDir
    Path root;

    private MemoryLimits limits;

    @BeforeEach
    void machineOfOneGibibyte() throws IOException {
        limits = new MemoryLimits(root);
        write("proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable:    1048576 kB\nSwapFree: 0 kB\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void theMachineLimits() {
        limits.check("it", 1L << 30);
        assertThatThrownBy(() -> limits.check("it", (1L << 30) + 1))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("needs 1073741825 bytes")
                .hasMessageContaining("leaves 1073741824");
    }

    @Test
    void aGroupAboveLimitsToo() throws IOException {
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        write("sys/fs/cgroup/a/b/memory.current", "1\n");
        write("sys/fs/cgroup/a/memory.max", "1000000\n");
        write("sys/fs/cgroup/a/memory.current", "900000\n");
        write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 100000\nactive_file 50000\n");

        limits.check("it", 250_000);
        assertThatThrownBy(() -> limits.check("it", 250_001)).hasMessageContaining("/sys/fs/cgroup/a/memory.max");
    }

    @Test
    void versionOneLimitsToo() throws IOException {
        write("proc/self/cgroup", "9:cpu:/x\n4:memory:/job\n0::/\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n");
        write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096\n");
        write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "8192\n");

        assertThat(limits.headrooms()).hasSize(2);
        assertThatThrownBy(() -> limits.check("it", 1)).hasMessageContaining("leaves 0");
    }

    @Test
    void inAContainerTheMountIsTheGroup() throws IOException {
        write("proc/self/cgroup", "0::/../../of/the/host\n");
        write("sys/fs/cgroup/memory.max", "1000\n");
        write("sys/fs/cgroup/memory.current", "0\n");

        assertThatThrownBy(() -> limits.check("it", 1001)).hasMessageContaining("leaves 1000");
    }

    @Test
    void withoutAnythingToReadNothingIsRefused() throws IOException {
        Files.delete(root.resolve("proc/meminfo"));

        limits.check("it", Long.MAX_VALUE);
    }
}
