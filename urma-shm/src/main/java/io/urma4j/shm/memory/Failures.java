package io.urma4j.shm.memory;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import java.nio.file.Path;

/** Translates a failed system call for the caller of urma4j. */
public final class Failures {
    private static final Path NOWHERE = Path.of("/proc/nowhere");

    private Failures() {}

    /**
     * Creates and discards a failure at start. A process without free descriptors can open no file, and so load no class,
     * and would end with a {@code NoClassDefFoundError} instead of a message. After this, all classes of a failure are
     * loaded.
     */
    public static void prepare() {
        try (Dir nowhere = Dir.open(NOWHERE)) {
            throw new IllegalStateException("there is " + nowhere);
        } catch (LibcException e) {
            String words = of("prepare", "nothing", e).toString();
            if (words.isEmpty()) {
                throw e;
            }
        }
    }

    /** The exception that names {@code object} and the attempted operation, with the system call as its cause. */
    public static UrmaException of(Object object, String attempt, LibcException cause) {
        return new UrmaException(status(cause.errno()), object, attempt + ": " + cause.getMessage(), cause);
    }

    private static UrmaStatus status(int errno) {
        return switch (errno) {
            case Errno.ENOMEM, Errno.ENOSPC, Errno.EFBIG, Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS ->
                UrmaStatus.ENOMEM;
            case Errno.EPERM, Errno.EACCES -> UrmaStatus.ENOPERM;
            case Errno.EEXIST -> UrmaStatus.EEXIST;
            default -> UrmaStatus.FAIL;
        };
    }
}
