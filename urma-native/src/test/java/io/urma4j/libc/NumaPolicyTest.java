package io.urma4j.libc;

import static io.urma4j.libc.Mapping.Protection.READ_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NumaPolicyTest {
    private static final Path POLICIES = Path.of("/proc/self/numa_maps");
    private static final long PAGE_BYTES = Mapping.pageSizeBytes();

    @Test
    void theKernelHasTakenNoteOfTheNode() throws IOException {
        assumeThat(POLICIES).as("a kernel with NUMA").exists();
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:near", PAGE_BYTES)) {
            MemorySegment mapping = Mapping.map(fd, 0, PAGE_BYTES, READ_WRITE, arena);

            NumaPolicy.prefer(mapping, 0);

            String start = Long.toHexString(mapping.address()) + " ";
            assertThat(Files.readAllLines(POLICIES))
                    .filteredOn(line -> line.startsWith(start))
                    .singleElement()
                    .asString()
                    .contains("prefer:0");
        }
    }

    @Test
    void aNodeThatIsNotThereIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mapping = Mapping.anonymous(PAGE_BYTES, arena);

            var refusal = catchThrowableOfType(LibcException.class, () -> NumaPolicy.prefer(mapping, 1023));

            assertThat(refusal.errno()).isIn(Errno.EINVAL, Errno.ENOSYS, Errno.EPERM);
            assertThat(refusal).hasMessageContaining("node 1023");
        }
    }
}
