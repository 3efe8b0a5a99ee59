package io.urma4j.libc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is behind a descriptor that another process sent: asked before it is used as what it should be. */
final class DescriptorKind {
    private static final String EVENTFD = "anon_inode:[eventfd]";
    private static final int F_GETFL = 3;
    private static final int O_NONBLOCK = 0x800;

    private DescriptorKind() {}

    /** Refuses what is no eventfd, or a blocking one. */
    static void checkEventFd(Fd fd) {
        String target = target(fd);
        if (!target.equals(EVENTFD)) {
            throw new IllegalArgumentException(fd + " is " + target + ", not " + EVENTFD);
        }
        int flags = Fd.fcntl(fd, F_GETFL, 0);
        if (flags < 0) {
            throw new LibcException("fcntl", fd + ", F_GETFL", -flags);
        }
        if ((flags & O_NONBLOCK) == 0) {
            throw new IllegalArgumentException(fd + " is a blocking eventfd");
        }
    }

    private static String target(Fd fd) {
        int number = fd.acquire();
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(number)))
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot tell what " + fd + " is", e);
        } finally {
            fd.release();
        }
    }
}
