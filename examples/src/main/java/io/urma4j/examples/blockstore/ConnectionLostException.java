package io.urma4j.examples.blockstore;

import org.jspecify.annotations.Nullable;

/** The server, or this session of it, is gone. Whether the request was executed is unknown. */
final class ConnectionLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConnectionLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
