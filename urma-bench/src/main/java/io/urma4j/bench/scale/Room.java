package io.urma4j.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * What this machine lets one process have. A curve asks before each row whether the next one fits: a JVM that runs out of
 * mappings or memory does not tell, it ends.
 *
 * @param descriptors open files
 * @param mappings of the address space
 * @param heapBytes live objects
 * @param memoryBytes free memory of the machine or of the control group
 */
record Room(long descriptors, long mappings, long heapBytes, long memoryBytes) {
    private static final int FEW = 100; // fit anywhere; and what is measured of fewer is noise
    private static final double SHARE = 0.9; // of a limit that may be used
    private static final Path GROUP = Path.of("/sys/fs/cgroup");

    static Room now() {
        try {
            return new Room(
                    Long.parseLong(Footprint.field(Path.of("/proc/self/limits"), "Max open files", 1)),
                    // by one long read: what lies under /proc/sys has no second one
                    Long.parseLong(Footprint.field(Path.of("/proc/sys/vm/max_map_count"), "", 1)),
                    Runtime.getRuntime().maxMemory(),
                    freeBytes());
        } catch (IOException | NumberFormatException e) {
            throw new IllegalStateException("cannot find out what this process may have: " + e.getMessage(), e);
        }
    }

    private static long freeBytes() throws IOException {
        long free = Long.parseLong(Footprint.field(Path.of("/proc/meminfo"), "MemAvailable:", 1)) * 1024;
        Path limit = GROUP.resolve("memory.max");
        if (!Files.isReadable(limit)) {
            return free;
        }
        String most = Files.readString(limit).trim();
        return most.equals("max")
                ? free
                : Math.min(
                        free,
                        Long.parseLong(most)
                                - Long.parseLong(Files.readString(GROUP.resolve("memory.current"))
                                        .trim()));
    }

    /**
     * Why {@code count} objects do not fit; empty when they do.
     *
     * @param base what there is before the first of them
     * @param perThing of {@link Footprint#perThing}
     */
    Optional<String> refusal(long count, Footprint base, double[] perThing) {
        if (count <= FEW) {
            return Optional.empty();
        }
        return over("bytes of heap", count * perThing[0], heapBytes - base.heapBytes())
                .or(() -> over("bytes of memory", count * perThing[1], memoryBytes))
                .or(() -> over("descriptors (ulimit -n)", count * perThing[2], descriptors - base.descriptors()))
                .or(() -> over("mappings (vm.max_map_count)", count * perThing[3], mappings - base.mappings()))
                .map(reason -> String.format(Locale.ROOT, "%,d would need %s.", count, reason));
    }

    private static Optional<String> over(String what, double needed, long most) {
        return needed <= SHARE * most
                ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "%,.0f %s, and there are %,d", needed, what, most));
    }
}
