package io.urma4j.tools;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;

/**
 * The threads in which JVMs compile. A measurement taken while they have work measures the interpreter. Where two
 * processes spin on two CPUs, these threads are starved, so a warm-up pauses now and then until they have no work left.
 *
 * <p>They are found by their names in {@code /proc}, which also has their CPU time. Without {@code /proc} they always
 * appear idle.
 */
public final class CompilerThreads {
    private static final long LOOK_MILLIS = 20;
    private static final long BUSY_NANOS = Duration.ofMillis(LOOK_MILLIS).toNanos() / 10; // the rest is bookkeeping
    private static final int QUIET_LOOKS = 2;

    private final long[] pids;

    private CompilerThreads(long[] pids) {
        this.pids = pids;
    }

    /** The threads of this process. */
    public static CompilerThreads own() {
        return of(ProcessHandle.current().pid());
    }

    /** The threads of some processes of this user. */
    public static CompilerThreads of(long... pids) {
        return new CompilerThreads(pids.clone());
    }

    /** The threads of this process and of its children. */
    public static CompilerThreads ofThisAndChildren() {
        ProcessHandle self = ProcessHandle.current();
        return of(LongStream.concat(LongStream.of(self.pid()), self.children().mapToLong(ProcessHandle::pid))
                .toArray());
    }

    /** Their CPU time so far. */
    public long spentNanos() {
        long nanos = 0;
        for (long pid : pids) {
            Path tasks = Path.of("/proc", String.valueOf(pid), "task");
            try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
                for (Path task : all) {
                    nanos += isCompiler(task) ? spentNanos(task) : 0;
                }
            } catch (IOException | DirectoryIteratorException e) {
                // it has ended, or this is no Linux
            }
        }
        return nanos;
    }

    /** Sleeps until they have nothing to do; returns false when that takes longer. */
    public boolean awaitRest(Duration atMost) throws InterruptedException {
        long start = System.nanoTime();
        long before = spentNanos();
        for (int quiet = 0; quiet < QUIET_LOOKS; ) {
            if (System.nanoTime() - start > atMost.toNanos()) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
            long spent = spentNanos();
            quiet = spent - before > BUSY_NANOS ? 0 : quiet + 1;
            before = spent;
        }
        return true;
    }

    private static boolean isCompiler(Path task) {
        try {
            String name = Files.readString(task.resolve("comm"));
            return name.startsWith("C1 Comp") || name.startsWith("C2 Comp"); // cut off at 15 characters
        } catch (IOException e) {
            return false; // has ended
        }
    }

    /** The first number of {@code schedstat}: time on a CPU, in nanoseconds (Documentation/scheduler/sched-stats.rst). */
    private static long spentNanos(Path task) {
        try {
            String text = Files.readString(task.resolve("schedstat"));
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }
}
