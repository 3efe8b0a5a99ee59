package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.libc.ResourceLimit.Bounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the kernel says of this process, its threads and its limits. */
class SystemTest {
    @Test
    void userIsTheOwnerOfWhatWeMake() throws Exception {
        String status = Files.readString(Path.of("/proc/self/status"));

        assertThat(status).containsPattern("Uid:\\t" + UserIds.real() + "\\t" + UserIds.effective() + "\\t");
    }

    @Test
    void aFileHasNoColumns() {
        try (Fd file = MemFd.create("no-terminal", 0)) {
            assertThat(TerminalSize.columns(file.number())).isEmpty();
        }
    }

    @Test
    void currentCpuIsAnAllowedOne() {
        assertThat(Cpus.allowed().get(Cpus.current())).isTrue();
    }

    @Test
    void pinnedThreadStaysOnItsCpu() {
        int last = Cpus.allowed().length() - 1;
        try (var threads = Executors.newSingleThreadExecutor()) {
            var seen = CompletableFuture.supplyAsync(
                    () -> {
                        Cpus.pinCurrentThread(only(last));
                        return Cpus.allowed().equals(only(last)) ? Cpus.current() : -1;
                    },
                    threads);

            assertThat(seen.join()).isEqualTo(last);
        }
    }

    @Test
    void noCpuAtAllIsRefused() {
        var refusal = catchThrowableOfType(LibcException.class, () -> Cpus.pinCurrentThread(new BitSet()));

        assertThat(refusal).hasMessage("sched_setaffinity(this thread, cpus={}) failed: EINVAL (22): Invalid argument");
    }

    @Test
    void virtualThreadIsNotPinned() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var pinned = CompletableFuture.runAsync(() -> Cpus.pinCurrentThread(only(0)), threads);

            assertThatThrownBy(pinned::join).hasRootCauseInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void softLimitIsWithinTheHardOne(ResourceLimit limit) {
        Bounds bounds = limit.bounds();

        assertThat(bounds.soft()).isPositive().isLessThanOrEqualTo(bounds.hard());
    }

    @Test
    void softLimitCanBeLoweredAndRaisedAgain() {
        Bounds before = ResourceLimit.NOFILE.bounds();
        try {
            ResourceLimit.NOFILE.set(new Bounds(before.soft() - 1, before.hard()));

            assertThat(ResourceLimit.NOFILE.bounds().soft()).isEqualTo(before.soft() - 1);
        } finally {
            ResourceLimit.NOFILE.set(before);
        }
        assertThat(ResourceLimit.NOFILE.bounds()).isEqualTo(before);
    }

    @Test
    void softLimitAboveTheHardOneIsRefused() {
        var refusal = catchThrowableOfType(LibcException.class, () -> ResourceLimit.NOFILE.set(new Bounds(200, 100)));

        assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
        assertThat(refusal).hasMessageContaining("setrlimit(NOFILE, Bounds[soft=200, hard=100])");
    }

    private static BitSet only(int cpu) {
        BitSet set = new BitSet();
        set.set(cpu);
        return set;
    }
}
