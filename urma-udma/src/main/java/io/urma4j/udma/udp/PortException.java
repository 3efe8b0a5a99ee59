package io.urma4j.udma.udp;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A port cannot be opened as requested; the message says why, and what to do about it. */
public final class PortException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    PortException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
