package io.urma4j.examples.blockstore;

/** An operation on a client's memory failed or was not finished in time; the client is gone, stopped, or has revoked it. */
final class TransferFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    TransferFailedException(String reason, Throwable cause) {
        super(reason, cause);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
