package io.urma4j;

import org.jspecify.annotations.Nullable;

/**
 * A control call or a post failed. The message names the argument, its value and the limit; {@link #status()} is for
 * programs, {@link #object()} names the called object.
 */
public class UrmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final UrmaStatus status;
    private final String object;
    private final String reason;

    public UrmaException(UrmaStatus status, Object object, String message) {
        this(status, object, message, null);
    }

    public UrmaException(UrmaStatus status, Object object, String message, @Nullable Throwable cause) {
        super(object + ": " + message + " (" + status + ")", cause);
        this.status = status;
        this.object = object.toString();
        this.reason = message;
    }

    /** The status, in URMA's terms; never {@link UrmaStatus#SUCCESS}. */
    public UrmaStatus status() {
        return status;
    }

    /** The reason: the message without object and status. */
    public String reason() {
        return reason;
    }

    /** The object that refused, as text. */
    public String object() {
        return object;
    }
}
