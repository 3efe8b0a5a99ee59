package io.urma4j.tools.perftest;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.urma4j.tools.Line;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The costs of the timed phases for this process: CPU time, allocation of the measuring thread, pauses of the
 * collector, and the cores on which it ran. For one thread.
 */
final class Meter {
    /** Of one side, over all timed phases. */
    record Reading(long wallNanos, long cpuNanos, long allocatedBytes, long pauses, long pauseMillis, String cores) {
        double cpuPercent() {
            return wallNanos == 0 ? 0 : 100.0 * cpuNanos / wallNanos;
        }

        /** The kernel counts a process's time in steps of 10 ms. */
        boolean isLong() {
            return wallNanos > 100_000_000;
        }

        void into(Line line) {
            line.with("wall", wallNanos)
                    .with("cpu", cpuNanos)
                    .with("allocated", allocatedBytes)
                    .with("pauses", pauses)
                    .with("pauseMillis", pauseMillis)
                    .with("cores", cores);
        }

        static Reading of(Line line) {
            return new Reading(
                    line.number("wall"),
                    line.number("cpu"),
                    line.number("allocated"),
                    line.number("pauses"),
                    line.number("pauseMillis"),
                    line.text("cores"));
        }
    }

    private static final int PROCESSOR_FIELD = 39; // of /proc/thread-self/stat, counted from 1

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final SortedSet<Integer> cores = new TreeSet<>();
    private Reading atBegin = new Reading(0, 0, 0, 0, 0, "");
    private long wallNanos;
    private long cpuNanos;
    private long allocatedBytes;
    private long pauses;
    private long pauseMillis;
    private final long ownBytes;

    Meter() {
        begin();
        end(false);
        begin();
        ownBytes = now().allocatedBytes - atBegin.allocatedBytes; // the allocation of a reading itself
    }

    void begin() {
        noteCore();
        atBegin = now();
    }

    /** A phase is over; only timed ones count. */
    void end(boolean timed) {
        Reading now = now();
        if (!timed) {
            return;
        }
        wallNanos += now.wallNanos - atBegin.wallNanos;
        cpuNanos += now.cpuNanos - atBegin.cpuNanos;
        allocatedBytes += Math.max(0, now.allocatedBytes - atBegin.allocatedBytes - ownBytes);
        pauses += now.pauses - atBegin.pauses;
        pauseMillis += now.pauseMillis - atBegin.pauseMillis;
        noteCore();
    }

    Reading reading() {
        String seen = cores.toString();
        return new Reading(
                wallNanos, cpuNanos, allocatedBytes, pauses, pauseMillis, seen.substring(1, seen.length() - 1));
    }

    private Reading now() {
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        return new Reading(
                System.nanoTime(),
                process.getProcessCpuTime(),
                threads.getCurrentThreadAllocatedBytes(),
                collections,
                millis,
                "");
    }

    /** Where this thread runs now; empty where the kernel does not report it. */
    private void noteCore() {
        try {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1); // begins with field 3
            if (fields.length > PROCESSOR_FIELD - 3) {
                cores.add(Integer.valueOf(fields[PROCESSOR_FIELD - 3]));
            }
        } catch (IOException | NumberFormatException e) {
            // not Linux: the line below the table has no cores
        }
    }
}
