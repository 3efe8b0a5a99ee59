package io.urma4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** CPU that another process uses while nothing happens: measured from outside, since to measure needs CPU too. */
record IdleCpu(long pid) {
    private static final int WINDOWS = 5;
    private static final long WINDOW_MILLIS = 600;
    private static final long SETTLE_MILLIS = 1_500;

    /** Milliseconds per second, window by window, after a pause in which its JIT comes to rest. */
    double[] millisPerSecond() throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
        double[] windows = new double[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            long before = nanos();
            long start = System.nanoTime();
            Thread.sleep(WINDOW_MILLIS);
            windows[i] = (nanos() - before) * 1_000.0 / (System.nanoTime() - start);
        }
        return windows;
    }

    /** Of all its threads; the kernel's own count, since others come in steps of 10 ms. */
    private long nanos() {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return tasks.mapToLong(IdleCpu::nanos).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long nanos(Path task) {
        try {
            String times = Files.readString(task.resolve("schedstat"));
            return Long.parseLong(times.substring(0, times.indexOf(' ')));
        } catch (NoSuchFileException e) {
            return 0; // the thread has ended meanwhile
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
