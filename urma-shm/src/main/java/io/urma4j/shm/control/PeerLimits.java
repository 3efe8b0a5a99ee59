package io.urma4j.shm.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many contexts may be peers, the lost ones included whose end is not proven. Each costs descriptors: two sockets, one of
 * its process, and those of memory on its way.
 *
 * @param ofAProcess of one that this namespace knows the number of
 * @param all also those of processes in other namespaces, which have no number here
 */
record PeerLimits(int ofAProcess, int all) {
    private static final int MAX_OF_A_PROCESS = 512;
    private static final int MAX = 4096;
    private static final int DESCRIPTORS = 8;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files +(\\d+)");

    /** As many as this process has descriptors for. */
    static PeerLimits ofThisProcess() {
        return of(openFiles());
    }

    /** For so many descriptors: half of them stay the application's. */
    static PeerLimits of(long openFiles) {
        int all = Math.clamp(openFiles / 2 / DESCRIPTORS, 1, MAX);
        return new PeerLimits(Math.min(MAX_OF_A_PROCESS, all), all);
    }

    private static long openFiles() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.map(OPEN_FILES::matcher)
                    .filter(Matcher::lookingAt)
                    .map(line -> Long.parseLong(line.group(1)))
                    .findFirst()
                    .orElse(Long.MAX_VALUE); // unlimited
        } catch (IOException e) {
            return Long.MAX_VALUE; // no /proc
        }
    }
}
