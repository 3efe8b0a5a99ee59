package io.urma4j;

/**
 * The home of what an operation aims at took it back, or is gone: of a segment, of a region's member, or the reader of a
 * pipe. Each later call ends so as well; to go on, import anew. It is the same exception on each device, whether that was
 * noticed before the operation began or while it was in flight. Its status is ENOPERM.
 */
public final class HomeGoneException extends OperationFailedException {
    /** What messages say of a segment. */
    static final String GONE = "its home revoked the segment, or is gone";

    private static final long serialVersionUID = 1L;

    private final boolean begun;

    /** Noticed before anything was done. */
    HomeGoneException(Object object, String reason) {
        super(UrmaStatus.ENOPERM, object, reason + "; nothing was done", CompletionStatus.REM_ACCESS_ABORT_ERR);
        this.begun = false;
    }

    /** Noticed while the operation was in flight. */
    HomeGoneException(Object object, String operation, CompletionStatus completionStatus, String reason) {
        super(
                UrmaStatus.ENOPERM,
                object,
                operation + " ended with " + completionStatus + ": " + reason + "; a part may have been done",
                completionStatus);
        this.begun = true;
    }

    /** Whether the operation was begun: then all of it, or a part, may have been done. False when nothing was. */
    public boolean wasBegun() {
        return begun;
    }
}
