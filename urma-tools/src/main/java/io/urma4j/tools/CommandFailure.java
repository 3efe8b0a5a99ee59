package io.urma4j.tools;

import org.jspecify.annotations.Nullable;

/** A command failed; the message is one readable line. Exit code 1. */
public class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommandFailure(String message) {
        super(message);
    }

    public CommandFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
