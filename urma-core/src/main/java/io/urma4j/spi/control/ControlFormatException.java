package io.urma4j.spi.control;

import java.io.Serial;

/** Bytes that are not a valid message of the control protocol; the message says where and why. */
public final class ControlFormatException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    public ControlFormatException(String message) {
        super(message);
    }
}
