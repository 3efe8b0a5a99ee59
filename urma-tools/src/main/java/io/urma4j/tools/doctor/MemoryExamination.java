package io.urma4j.tools.doctor;

import io.urma4j.libc.ResourceLimit;
import io.urma4j.tools.MemoryBudget;
import io.urma4j.tools.Units;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The amount and the kinds of memory, and the limits of this process. */
final class MemoryExamination implements Examination {
    private static final long LITTLE_MEMORY_BYTES = 512L << 20;
    private static final long FEW_DESCRIPTORS = 1024;
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Path SHMEM_ENABLED = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");

    @Override
    public List<Finding> findings() {
        return List.of(
                memory(),
                Examination.guarded("huge pages", "", MemoryExamination::hugePages),
                Examination.guarded("transparent huge pages", "", MemoryExamination::transparentHugePages),
                descriptors(),
                lockedMemory(),
                addressSpace(),
                Examination.guarded("/dev/shm", "", MemoryExamination::devShm));
    }

    private static Finding memory() {
        MemoryBudget budget = MemoryBudget.now();
        if (budget.availableBytes() == Long.MAX_VALUE) {
            return Finding.ok("memory", "no limit known");
        }
        String found = Units.bytes(budget.availableBytes()) + " available (" + budget.limit() + ")";
        return budget.availableBytes() >= LITTLE_MEMORY_BYTES
                ? Finding.ok("memory", found)
                : Finding.warn("memory", found, "large segments will be refused; 'urma demo --size 8MiB' needs little");
    }

    private static Finding hugePages() throws IOException {
        long total = meminfo("HugePages_Total");
        long free = meminfo("HugePages_Free");
        String size = Units.bytes(meminfo("Hugepagesize") * 1024);
        String found = free + " of " + total + " of " + size + " free";
        return total > 0
                ? Finding.ok("huge pages", found)
                : Finding.warn(
                        "huge pages",
                        found,
                        "large segments are faster with them: as root, sysctl vm.nr_hugepages=512 reserves 1 GiB of "
                                + size + " pages");
    }

    private static long meminfo(String key) throws IOException {
        for (String line : Files.readAllLines(MEMINFO)) {
            if (line.startsWith(key + ":")) {
                return Long.parseLong(line.split("\\s+", -1)[1]);
            }
        }
        return 0;
    }

    private static Finding transparentHugePages() throws IOException {
        String name = "transparent huge pages";
        if (!Files.isReadable(SHMEM_ENABLED)) {
            return Finding.ok(name, "not in this kernel");
        }
        Matcher chosen = CHOSEN.matcher(Files.readString(SHMEM_ENABLED));
        String mode = chosen.find() ? chosen.group(1) : "unknown";
        return mode.equals("never") || mode.equals("deny")
                ? Finding.warn(
                        name,
                        "'" + mode + "' for shared memory",
                        "as root, echo advise > " + SHMEM_ENABLED + " lets segments that ask have them")
                : Finding.ok(name, "'" + mode + "' for shared memory");
    }

    private static Finding descriptors() {
        ResourceLimit.Bounds bounds = ResourceLimit.NOFILE.bounds();
        String found = bounds(bounds, false);
        return bounds.soft() >= FEW_DESCRIPTORS
                ? Finding.ok("open files (RLIMIT_NOFILE)", found)
                : Finding.warn(
                        "open files (RLIMIT_NOFILE)",
                        found,
                        "each segment and each peer takes some; raise it with ulimit -n " + FEW_DESCRIPTORS);
    }

    private static Finding lockedMemory() {
        return Finding.ok("locked memory (RLIMIT_MEMLOCK)", bounds(ResourceLimit.MEMLOCK.bounds(), true));
    }

    private static Finding addressSpace() {
        ResourceLimit.Bounds bounds = ResourceLimit.AS.bounds();
        return bounds.soft() == ResourceLimit.UNLIMITED
                ? Finding.ok("address space (RLIMIT_AS)", "no limit")
                : Finding.warn(
                        "address space (RLIMIT_AS)",
                        bounds(bounds, true),
                        "each import needs as much of it as the segment is long; ulimit -v unlimited takes it away");
    }

    private static String bounds(ResourceLimit.Bounds bounds, boolean bytes) {
        return limit(bounds.soft(), bytes) + ", can be raised to " + limit(bounds.hard(), bytes);
    }

    private static String limit(long value, boolean bytes) {
        if (value == ResourceLimit.UNLIMITED) {
            return "no limit";
        }
        return bytes ? Units.bytes(value) : Long.toString(value);
    }

    private static Finding devShm() throws IOException {
        Path path = Path.of("/dev/shm");
        if (!Files.isDirectory(path)) {
            return Finding.ok("/dev/shm", "not here, and not needed");
        }
        FileStore store = Files.getFileStore(path);
        return Finding.ok(
                "/dev/shm", Units.bytes(store.getUsableSpace()) + " free; not needed, since segments have no file");
    }
}
