package io.urma4j;

/**
 * The home of the accessed memory revoked it, or is gone: the home of a segment, of a region's member, or the reader of a
 * pipe. Each later call fails the same way; import again to continue. Every device throws this exception, whether it
 * detected the loss before or during the operation. Its status is ENOPERM.
 */
public final class HomeGoneException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final boolean begun;

    /** The loss was detected before the operation started. */
    HomeGoneException(Object object, String reason) {
        super(UrmaStatus.ENOPERM, object, reason + "; nothing was done", CompletionStatus.REM_ACCESS_ABORT_ERR);
        this.begun = false;
    }

    /** The loss was detected during the operation. */
    HomeGoneException(Object object, String operation, CompletionStatus completionStatus, String reason) {
        super(
                UrmaStatus.ENOPERM,
                object,
                operation + " ended with " + completionStatus + ": " + reason + "; a part may have been done",
                completionStatus);
        this.begun = true;
    }

    /** Whether the operation had started: then all or part of it may have been done. False if nothing was done. */
    public boolean wasBegun() {
        return begun;
    }
}
