package io.urma4j.bench.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
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
    private static final int MOST_COLLECTIONS = 10;
    private static final long PAUSE_NANOS = 50_000_000; // threads that are about to end hold what they had till then
    private static final long STEADY_BYTES = 4096;
    private static final int FEW = 8; // with fewer objects, fluctuations of the JVM's own memory hide theirs

    /** Collects garbage until no more is found, and looks: some tenths of a second. */
    static Footprint now() {
        long before = liveBytes();
        long heapBytes = before;
        for (int i = 1; i < MOST_COLLECTIONS; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            heapBytes = liveBytes();
            if (before - heapBytes < STEADY_BYTES) {
                break;
            }
            before = heapBytes;
        }
        try {
            long committed =
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
            return new Footprint(heapBytes, kib("VmRSS") * 1024 - committed, descriptorsNow(), mappingsNow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("SystemGc") // the live heap is what is asked for
    private static long liveBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
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

    /** The growth of each kind since then, divided by {@code count}; {@link Curve#NONE} where that is too small. */
    double[] perThing(Footprint before, long count) {
        if (count < FEW) {
            return new double[] {Curve.NONE, Curve.NONE, Curve.NONE, Curve.NONE};
        }
        return new double[] {
            (double) (heapBytes - before.heapBytes) / count,
            (double) (nativeBytes - before.nativeBytes) / count,
            (double) (descriptors - before.descriptors) / count,
            (double) (mappings - before.mappings) / count
        };
    }
}
