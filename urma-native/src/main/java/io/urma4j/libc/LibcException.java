package io.urma4j.libc;

import java.io.Serial;

/**
 * A native call that failed: which one, with which arguments, and errno in words, for example
 * {@code ftruncate(fd 7 (memfd urma:table), sizeBytes=0) failed: EPERM (1): Operation not permitted}.
 */
public final class LibcException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String call;
    private final String arguments;
    private final int errno;

    LibcException(String call, String arguments, int errno) {
        super(call + "(" + arguments + ") failed: " + Errno.describe(errno));
        this.call = call;
        this.arguments = arguments;
        this.errno = errno;
    }

    /** The libc function. */
    public String call() {
        return call;
    }

    /** Its arguments as in the message. */
    public String arguments() {
        return arguments;
    }

    /** The number, to be compared with the constants of {@link Errno}. */
    public int errno() {
        return errno;
    }

    /** The number's name, such as {@code ENOMEM}. */
    public String errnoName() {
        return Errno.name(errno);
    }
}
