package io.urma4j.shm.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The maximum number of peers, including lost ones whose end is not proven. Each costs descriptors: two sockets, one of its
 * process, and those of memory in flight.
 *
 * @param ofAProcess per process with a known pid
 * @param all including processes of other PID namespaces, whose pid is unknown here
 */
record PeerLimits(int ofAProcess, int all) {
    private static final int MAX_OF_A_PROCESS = 512;
    private static final int MAX = 4096;
    private static final int DESCRIPTORS = 8;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files +(\\d+)");

    /** The limits for this process's descriptor limit. */
    static PeerLimits ofThisProcess() {
        return of(openFiles());
    }

    /** The limits for that many descriptors: half of them are left to the application. */
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
