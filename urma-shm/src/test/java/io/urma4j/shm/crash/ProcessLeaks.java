package io.urma4j.shm.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What this process holds of the kernel's: descriptors by kind, mappings of memfds. */
record ProcessLeaks(Map<String, Integer> descriptors, int mappings) {
    /** Counts now. Pipes are left out: they are the test's own, to its victims. */
    static ProcessLeaks count() {
        try {
            return new ProcessLeaks(descriptorsNow(), mappingsNow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Integer> descriptorsNow() throws IOException {
        Map<String, Integer> kinds = new TreeMap<>();
        try (var links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                String kind = kindOf(link);
                if (kind.startsWith("/memfd:") || kind.startsWith("socket") || kind.startsWith("anon_inode")) {
                    kinds.merge(kind, 1, Integer::sum);
                }
            }
        }
        return kinds;
    }

    private static String kindOf(Path link) {
        try {
            return Files.readSymbolicLink(link).toString().replaceAll("[:\\[]?[0-9]+.*", "");
        } catch (IOException e) {
            return "gone"; // closed since the directory was read
        }
    }

    private static int mappingsNow() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return (int) lines.filter(line -> line.contains("memfd:urma")).count();
        }
    }
}
