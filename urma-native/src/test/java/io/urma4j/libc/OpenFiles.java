package io.urma4j.libc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What this process holds, as the kernel tells it. */
final class OpenFiles {
    private OpenFiles() {}

    /** How many descriptors lead to something with that text in its name. */
    static long count(String text) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(fd -> target(fd).contains(text)).count();
        }
    }

    /** The lines of the memory map that name a memfd or cover an address. */
    static List<String> mappings(String text) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains(text))
                .toList();
    }

    private static String target(Path fd) {
        try {
            return Files.readSymbolicLink(fd).toString();
        } catch (IOException e) {
            return ""; // closed since it was listed, as the one that lists is
        }
    }
}
