package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path root;

    @Test
    void isWhatTheMachineHasWhenNoCgroupLimitsIt() throws Exception {
        machineWith(100 * MIB);
        write("proc/self/cgroup", "0::/user/me\n");
        write("sys/fs/cgroup/user/me/memory.max", "max\n");

        assertThat(MemoryBudget.of(root).availableBytes()).isEqualTo(100 * MIB);
        assertThat(MemoryBudget.of(root).limit()).contains("MemAvailable");
    }

    @Test
    void isWhatACgroupFurtherUpLeaves() throws Exception {
        machineWith(100 * MIB);
        write("proc/self/cgroup", "0::/user/me\n");
        write("sys/fs/cgroup/user/memory.max", 50 * MIB + "\n");
        write("sys/fs/cgroup/user/memory.current", 30 * MIB + "\n");

        assertThat(MemoryBudget.of(root).availableBytes()).isEqualTo(20 * MIB);
        assertThat(MemoryBudget.of(root).limit())
                .contains("cgroup limit of 50 MiB")
                .contains("user/memory.max");
    }

    @Test
    void countsFilePagesThatNobodyUsesAsAvailable() throws Exception {
        machineWith(100 * MIB);
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/memory.max", 50 * MIB + "\n");
        write("sys/fs/cgroup/memory.current", 48 * MIB + "\n");
        write("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file " + 10 * MIB + "\n");

        assertThat(MemoryBudget.of(root).availableBytes()).isEqualTo(12 * MIB);
    }

    @Test
    void knowsTheFirstVersionOfCgroups() throws Exception {
        machineWith(100 * MIB);
        write("proc/self/cgroup", "5:cpu,memory:/docker\n1:name=systemd:/\n");
        write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", 40 * MIB + "\n");
        write("sys/fs/cgroup/memory/docker/memory.usage_in_bytes", MIB + "\n");

        assertThat(MemoryBudget.of(root).availableBytes()).isEqualTo(39 * MIB);
    }

    @Test
    void refusesWhatDoesNotFitWithNeedAndLimit() throws Exception {
        machineWith(100 * MIB);

        var budget = MemoryBudget.of(root);

        budget.check("file 'x'", 100 * MIB);
        assertThatThrownBy(() -> budget.check("file 'x'", 101 * MIB))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("file 'x' is too large: it needs 101 MiB of memory, and 100 MiB are available"
                        + " (MemAvailable of /proc/meminfo; see 'urma doctor')");
    }

    @Test
    void whereNothingIsToldThereIsNoLimit() {
        MemoryBudget.of(root).check("anything", Long.MAX_VALUE - 1024);
    }

    private void machineWith(long availableBytes) throws IOException {
        write("proc/meminfo", "MemTotal: 1 kB\nMemAvailable:  " + availableBytes / 1024 + " kB\n");
    }

    private void write(String file, String content) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
    }
}
