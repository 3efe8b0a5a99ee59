package io.urma4j.tools.perftest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This machine in one line, so that figures are not compared with those of another unawares. */
final class Machine {
    private static final int CLOCK_READS = 20_000;

    private Machine() {}

    static String line() {
        return processor() + ", " + Runtime.getRuntime().availableProcessors() + " CPUs, "
                + System.getProperty("os.name") + " " + System.getProperty("os.version") + ", JDK "
                + Runtime.version();
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    /** The cost of reading the clock once. */
    static long clockNanos() {
        long begin = System.nanoTime();
        long last = begin;
        for (int i = 1; i < CLOCK_READS; i++) {
            last = System.nanoTime();
        }
        return Math.round((double) (last - begin) / CLOCK_READS);
    }
}
