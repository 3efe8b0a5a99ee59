package io.urma4j.bench.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds.
 *
 * @param heapBytes live objects, after a collection
 * @param nativeBytes resident memory beyond the heap, which is resident as a whole (the launcher sees to that)
 * @param descriptors open files
 * @param mappings of its address space
 */
record Footprint(long heapBytes, long nativeBytes, long descriptors, long mappings) {
    private static final Path SELF = Path.of("/proc/self");
    private static final int COLLECTIONS = 2; // the second one takes what the first has made unreachable

    /** Collects garbage, and looks: some ten milliseconds. */
    @SuppressWarnings("SystemGc") // the live heap is what is asked for
    static Footprint now() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        try {
            return new Footprint(
                    heap.getUsed(), kib("VmRSS") * 1024 - heap.getCommitted(), descriptorsNow(), mappingsNow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long descriptorsNow() throws IOException {
        try (Stream<Path> all = Files.list(SELF.resolve("fd"))) {
            return all.count();
        }
    }

    private static long mappingsNow() throws IOException {
        try (Stream<String> all = Files.lines(SELF.resolve("maps"))) {
            return all.count();
        }
    }

    private static long kib(String field) throws IOException {
        return Long.parseLong(field(SELF.resolve("status"), field + ":", 1));
    }

    /** A word of the line that begins so, counted from 0. */
    static String field(Path file, String begin, int word) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            String line = lines.filter(one -> one.startsWith(begin))
                    .findFirst()
                    .orElseThrow(() -> new IOException(file + " has no line '" + begin + "'"));
            return line.substring(begin.length()).trim().split("\\s+", -1)[word - 1];
        }
    }

    /** What has come since, of each kind, for one of so many things. */
    double[] perThing(Footprint before, long count) {
        return new double[] {
            (double) (heapBytes - before.heapBytes) / count,
            (double) (nativeBytes - before.nativeBytes) / count,
            (double) (descriptors - before.descriptors) / count,
            (double) (mappings - before.mappings) / count
        };
    }
}
