package io.urma4j.examples.blockstore;

/** A message that is none of this protocol, or that its sender may not send. */
final class BadMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    BadMessageException(String reason) {
        super(reason);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
