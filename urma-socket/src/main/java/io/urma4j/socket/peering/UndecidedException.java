package io.urma4j.socket.peering;

import java.io.IOException;

/** The two ends of a connection may differ over what moves its bytes, so that it can only be closed. */
public final class UndecidedException extends IOException {
    private static final long serialVersionUID = 1;

    UndecidedException(String message, Throwable cause) {
        super(message, cause);
    }
}
