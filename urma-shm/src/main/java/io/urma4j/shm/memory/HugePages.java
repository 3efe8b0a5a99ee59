package io.urma4j.shm.memory;

import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.PageWishes;
import io.urma4j.spi.support.MemoryLimits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Larger pages if the machine has them; each fallback is reported as text. */
final class HugePages {
    private static final Path SHMEM_ENABLED = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");

    private HugePages() {}

    /** A memfd on pages of the machine's pool, or empty with the reason added to {@code steps}. */
    static Optional<Fd> create(String label, long lengthBytes, MemoryLimits limits, List<String> steps) {
        long pageBytes = limits.kib("Hugepagesize");
        if (pageBytes <= 0) {
            steps.add("no huge pages: the kernel has none");
            return Optional.empty();
        }
        long pages = (lengthBytes + pageBytes - 1) / pageBytes;
        try {
            return Optional.of(MemFd.createHuge(label, pages * pageBytes, pageBytes));
        } catch (LibcException e) {
            steps.add("no huge pages: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Explains why mapping pages of the pool failed: there are too few. */
    static String tooFew(long sizeBytes, LibcException cause) {
        return "no huge pages: the pool (vm.nr_hugepages) has too few free for " + sizeBytes + " bytes: "
                + cause.getMessage();
    }

    /** Requests transparent huge pages; obstacles are added to {@code steps}. */
    static void advise(MemorySegment mapping, List<String> steps) {
        String setting = setting();
        if (setting.contains("[never]") || setting.contains("[deny]") || setting.isEmpty()) {
            steps.add("no transparent huge pages: " + SHMEM_ENABLED + " is '" + setting + "', needs advise or always");
        } else {
            PageWishes.huge(mapping, steps);
        }
    }

    private static String setting() {
        try {
            return Files.readString(SHMEM_ENABLED).strip();
        } catch (IOException e) {
            return ""; // a kernel without them
        }
    }
}
