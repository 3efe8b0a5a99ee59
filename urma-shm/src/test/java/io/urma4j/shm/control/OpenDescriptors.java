package io.urma4j.shm.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The open descriptors of this process, as the kernel lists them. */
final class OpenDescriptors {
    private OpenDescriptors() {}

    /** Where those lead that a context may hold: memfds, sockets, eventfds, pidfds, files of its directory. */
    static List<String> ofContexts(Path directory) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(OpenDescriptors::target)
                    .filter(target -> target.startsWith("/memfd:")
                            || target.startsWith("socket:")
                            || target.startsWith("anon_inode:")
                            || target.startsWith(directory.toString()))
                    .sorted()
                    .toList();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // the one that lists is closed by now
        }
    }
}
