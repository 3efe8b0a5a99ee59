package io.urma4j.bench.compare;

/** A peer cannot be had here; the message says why, and goes into the report. */
public final class PeerUnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    /** With the reason. */
    public PeerUnavailableException(String reason) {
        super(reason);
    }

    /** The reason. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
