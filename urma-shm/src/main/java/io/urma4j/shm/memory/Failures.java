package io.urma4j.shm.memory;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;

/** What a failed system call means to the caller of urma4j. */
public final class Failures {
    private Failures() {}

    /** The exception that tells {@code object} and what it tried, with the system call as its cause. */
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
